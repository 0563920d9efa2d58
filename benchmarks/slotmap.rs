// SPDX-License-Identifier: MIT
//! Rust's SlotMap, DenseSlotMap and HopSlotMap behind C functions, and its SecondaryMap and
//! SparseSecondaryMap. Each function is a whole loop,
//! so that only Rust is timed. A key is eight bytes, which are opaque to C++.
//!
//! Every `map` is a pointer from `create` of the same table, not destroyed yet. `keys` and `picks`
//! have `count` entries, except in `churn`, whose picks are positions in `keys`.

use slotmap::{
    DefaultKey, DenseSlotMap, HopSlotMap, SecondaryMap, SlotMap, SparseSecondaryMap,
};
use std::slice;

pub struct Item<const WORDS: usize> {
    words: [u64; WORDS],
}

impl<const WORDS: usize> Item<WORDS> {
    fn new(number: u64) -> Self {
        let mut words = [1; WORDS];
        words[0] = number;
        Item { words }
    }
}

/// What the three maps have in common; each forwards to the map's own functions.
trait Map {
    fn create() -> Self;
    fn insert(&mut self, number: u64) -> DefaultKey;
    fn remove(&mut self, key: DefaultKey) -> bool;
    fn get(&self, key: DefaultKey) -> Option<u64>;
    fn contains(&self, key: DefaultKey) -> bool;
    fn sum(&self) -> u64;
    fn clear(&mut self);
}

macro_rules! forward {
    ($map:ident) => {
        impl<const WORDS: usize> Map for $map<DefaultKey, Item<WORDS>> {
            fn create() -> Self {
                $map::new()
            }
            #[inline(always)]
            fn insert(&mut self, number: u64) -> DefaultKey {
                $map::insert(self, Item::new(number))
            }
            #[inline(always)]
            fn remove(&mut self, key: DefaultKey) -> bool {
                $map::remove(self, key).is_some()
            }
            #[inline(always)]
            fn get(&self, key: DefaultKey) -> Option<u64> {
                $map::get(self, key).map(|item| item.words[0])
            }
            #[inline(always)]
            fn contains(&self, key: DefaultKey) -> bool {
                $map::contains_key(self, key)
            }
            #[inline(always)]
            fn sum(&self) -> u64 {
                self.values()
                    .fold(0_u64, |total, item| total.wrapping_add(item.words[0]))
            }
            fn clear(&mut self) {
                $map::clear(self)
            }
        }
    };
}

forward!(SlotMap);
forward!(DenseSlotMap);
forward!(HopSlotMap);

unsafe extern "C" fn create<M: Map>() -> *mut u8 {
    Box::into_raw(Box::new(M::create())) as *mut u8
}

unsafe extern "C" fn destroy<M: Map>(map: *mut u8) {
    drop(Box::from_raw(map as *mut M));
}

/// Inserts `count` items, numbered from `first`, and reports their keys.
unsafe extern "C" fn insert<M: Map>(map: *mut u8, first: u64, count: u32, keys: *mut DefaultKey) {
    let map = &mut *(map as *mut M);
    for i in 0..count as usize {
        keys.add(i).write(map.insert(first + i as u64));
    }
}

/// Returns how many were alive.
unsafe extern "C" fn erase<M: Map>(map: *mut u8, keys: *const DefaultKey, count: u32) -> u32 {
    let map = &mut *(map as *mut M);
    let mut erased = 0;
    for key in slice::from_raw_parts(keys, count as usize) {
        erased += u32::from(map.remove(*key));
    }
    erased
}

/// Returns the sum of the items' first words, of live keys only.
unsafe extern "C" fn look_up<M: Map>(map: *mut u8, keys: *const DefaultKey, count: u32) -> u64 {
    let map = &*(map as *const M);
    let mut total = 0_u64;
    for key in slice::from_raw_parts(keys, count as usize) {
        if let Some(word) = map.get(*key) {
            total = total.wrapping_add(word);
        }
    }
    total
}

/// Returns how many of the keys are alive.
unsafe extern "C" fn count_live<M: Map>(map: *mut u8, keys: *const DefaultKey, count: u32) -> u32 {
    let map = &*(map as *const M);
    let mut live = 0;
    for key in slice::from_raw_parts(keys, count as usize) {
        live += u32::from(map.contains(*key));
    }
    live
}

unsafe extern "C" fn iterate<M: Map>(map: *mut u8) -> u64 {
    (*(map as *const M)).sum()
}

unsafe extern "C" fn clear<M: Map>(map: *mut u8) {
    (*(map as *mut M)).clear();
}

/// For each pick, erases the key's item and inserts a new one; returns how many were alive.
unsafe extern "C" fn churn<M: Map>(
    map: *mut u8,
    keys: *mut DefaultKey,
    picks: *const u32,
    count: u32,
    first: u64,
) -> u32 {
    let map = &mut *(map as *mut M);
    let mut erased = 0;
    for (i, pick) in slice::from_raw_parts(picks, count as usize).iter().enumerate() {
        let key = keys.add(*pick as usize);
        erased += u32::from(map.remove(*key));
        key.write(map.insert(first + i as u64));
    }
    erased
}

/// The same members in the same order as `slotmap_functions` of peers_other.h.
#[repr(C)]
pub struct Functions {
    create: unsafe extern "C" fn() -> *mut u8,
    destroy: unsafe extern "C" fn(*mut u8),
    insert: unsafe extern "C" fn(*mut u8, u64, u32, *mut DefaultKey),
    erase: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32) -> u32,
    look_up: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32) -> u64,
    count_live: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32) -> u32,
    iterate: unsafe extern "C" fn(*mut u8) -> u64,
    clear: unsafe extern "C" fn(*mut u8),
    churn: unsafe extern "C" fn(*mut u8, *mut DefaultKey, *const u32, u32, u64) -> u32,
}

struct Table<M>(M);

impl<M: Map + 'static> Table<M> {
    const FUNCTIONS: &'static Functions = &Functions {
        create: create::<M>,
        destroy: destroy::<M>,
        insert: insert::<M>,
        erase: erase::<M>,
        look_up: look_up::<M>,
        count_live: count_live::<M>,
        iterate: iterate::<M>,
        clear: clear::<M>,
        churn: churn::<M>,
    };
}

fn of_kind<const WORDS: usize>(kind: u32) -> Option<&'static Functions> {
    match kind {
        0 => Some(Table::<SlotMap<DefaultKey, Item<WORDS>>>::FUNCTIONS),
        1 => Some(Table::<DenseSlotMap<DefaultKey, Item<WORDS>>>::FUNCTIONS),
        2 => Some(Table::<HopSlotMap<DefaultKey, Item<WORDS>>>::FUNCTIONS),
        _ => None,
    }
}

/// The functions of a map (0: SlotMap, 1: DenseSlotMap, 2: HopSlotMap) of items of `size` bytes;
/// null if there is none.
#[no_mangle]
pub extern "C" fn slotmap_table(kind: u32, size: u32) -> Option<&'static Functions> {
    match size {
        8 => of_kind::<1>(kind),
        40 => of_kind::<5>(kind),
        256 => of_kind::<32>(kind),
        264 => of_kind::<33>(kind),
        _ => None,
    }
}

/// A value of a secondary map: 16 bytes.
#[derive(Clone, Copy)]
pub struct Value {
    words: [u64; 2],
}

/// What the two secondary maps have in common.
trait Secondary {
    fn create() -> Self;
    fn set(&mut self, key: DefaultKey, value: Value);
    fn remove(&mut self, key: DefaultKey) -> bool;
    fn get(&self, key: DefaultKey) -> Option<u64>;
    fn sum(&self) -> u64;
}

macro_rules! forward_secondary {
    ($map:ident) => {
        impl Secondary for $map<DefaultKey, Value> {
            fn create() -> Self {
                $map::new()
            }
            #[inline(always)]
            fn set(&mut self, key: DefaultKey, value: Value) {
                $map::insert(self, key, value);
            }
            #[inline(always)]
            fn remove(&mut self, key: DefaultKey) -> bool {
                $map::remove(self, key).is_some()
            }
            #[inline(always)]
            fn get(&self, key: DefaultKey) -> Option<u64> {
                $map::get(self, key).map(|value| value.words[0])
            }
            #[inline(always)]
            fn sum(&self) -> u64 {
                self.values()
                    .fold(0_u64, |total, value| total.wrapping_add(value.words[0]))
            }
        }
    };
}

forward_secondary!(SecondaryMap);
forward_secondary!(SparseSecondaryMap);

unsafe extern "C" fn create_secondary<M: Secondary>() -> *mut u8 {
    Box::into_raw(Box::new(M::create())) as *mut u8
}

unsafe extern "C" fn destroy_secondary<M: Secondary>(map: *mut u8) {
    drop(Box::from_raw(map as *mut M));
}

/// Sets a value for each key, numbered from 0.
unsafe extern "C" fn set_all<M: Secondary>(map: *mut u8, keys: *const DefaultKey, count: u32) {
    let map = &mut *(map as *mut M);
    for (i, key) in slice::from_raw_parts(keys, count as usize).iter().enumerate() {
        map.set(*key, Value { words: [i as u64, 1] });
    }
}

/// Returns how many had a value.
unsafe extern "C" fn remove_all<M: Secondary>(
    map: *mut u8,
    keys: *const DefaultKey,
    count: u32,
) -> u32 {
    let map = &mut *(map as *mut M);
    let mut removed = 0;
    for key in slice::from_raw_parts(keys, count as usize) {
        removed += u32::from(map.remove(*key));
    }
    removed
}

/// Returns the sum of the values' first words.
unsafe extern "C" fn get_all<M: Secondary>(
    map: *mut u8,
    keys: *const DefaultKey,
    count: u32,
) -> u64 {
    let map = &*(map as *const M);
    let mut total = 0_u64;
    for key in slice::from_raw_parts(keys, count as usize) {
        if let Some(word) = map.get(*key) {
            total = total.wrapping_add(word);
        }
    }
    total
}

unsafe extern "C" fn sum_values<M: Secondary>(map: *mut u8) -> u64 {
    (*(map as *const M)).sum()
}

/// The same members in the same order as `rust_secondary` of secondary_benchmark.cpp.
#[repr(C)]
pub struct SecondaryFunctions {
    create: unsafe extern "C" fn() -> *mut u8,
    destroy: unsafe extern "C" fn(*mut u8),
    set: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32),
    remove: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32) -> u32,
    get: unsafe extern "C" fn(*mut u8, *const DefaultKey, u32) -> u64,
    iterate: unsafe extern "C" fn(*mut u8) -> u64,
}

impl<M: Secondary + 'static> Table<M> {
    const SECONDARY: &'static SecondaryFunctions = &SecondaryFunctions {
        create: create_secondary::<M>,
        destroy: destroy_secondary::<M>,
        set: set_all::<M>,
        remove: remove_all::<M>,
        get: get_all::<M>,
        iterate: sum_values::<M>,
    };
}

/// The functions of SparseSecondaryMap or of SecondaryMap.
#[no_mangle]
pub extern "C" fn slotmap_secondary(sparse: bool) -> &'static SecondaryFunctions {
    if sparse {
        Table::<SparseSecondaryMap<DefaultKey, Value>>::SECONDARY
    } else {
        Table::<SecondaryMap<DefaultKey, Value>>::SECONDARY
    }
}
