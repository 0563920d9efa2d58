//! Rust's SlotMap and HopSlotMap for pool_benchmark.cpp, a loop to a function: what is timed is
//! Rust alone. A key is eight bytes, which C++ keeps and shuffles without looking inside.
//!
//! Every `map` is a pointer that the container's `_new` gave and its `_delete` has not taken back;
//! `keys` has `count` keys.

use slotmap::{DefaultKey, HopSlotMap, Key, SlotMap};
use std::slice;

#[repr(C)]
pub struct Item {
    words: [u64; 5],
}

fn item(number: u32) -> Item {
    Item {
        words: [u64::from(number), 1, 2, 3, 4],
    }
}

macro_rules! export {
    ($map:ident, $new:ident, $delete:ident, $insert:ident, $refill:ident, $erase:ident,
     $look_up:ident, $iterate:ident) => {
        #[no_mangle]
        pub extern "C" fn $new() -> *mut $map<DefaultKey, Item> {
            Box::into_raw(Box::new($map::new()))
        }

        #[no_mangle]
        pub unsafe extern "C" fn $delete(map: *mut $map<DefaultKey, Item>) {
            drop(Box::from_raw(map));
        }

        /// Inserts `count` items, numbered from 0, and reports their keys.
        #[no_mangle]
        pub unsafe extern "C" fn $insert(
            map: *mut $map<DefaultKey, Item>,
            count: u32,
            keys: *mut DefaultKey,
        ) {
            for number in 0..count {
                keys.add(number as usize).write((*map).insert(item(number)));
            }
        }

        /// Inserts `count` items and returns the sum of their keys, so that none is stored.
        #[no_mangle]
        pub unsafe extern "C" fn $refill(map: *mut $map<DefaultKey, Item>, count: u32) -> u64 {
            let map = &mut *map;
            let mut total = 0_u64;
            for number in 0..count {
                total = total.wrapping_add(map.insert(item(number)).data().as_ffi());
            }
            total
        }

        /// Returns how many were there.
        #[no_mangle]
        pub unsafe extern "C" fn $erase(
            map: *mut $map<DefaultKey, Item>,
            keys: *const DefaultKey,
            count: u32,
        ) -> u32 {
            let map = &mut *map;
            let mut erased = 0;
            for key in slice::from_raw_parts(keys, count as usize) {
                erased += u32::from(map.remove(*key).is_some());
            }
            erased
        }

        #[no_mangle]
        pub unsafe extern "C" fn $look_up(
            map: *const $map<DefaultKey, Item>,
            keys: *const DefaultKey,
            count: u32,
        ) -> u64 {
            let map = &*map;
            let mut total = 0_u64;
            for key in slice::from_raw_parts(keys, count as usize) {
                if let Some(item) = map.get(*key) {
                    total = total.wrapping_add(item.words[0]);
                }
            }
            total
        }

        #[no_mangle]
        pub unsafe extern "C" fn $iterate(map: *const $map<DefaultKey, Item>) -> u64 {
            let map = &*map;
            let mut total = 0_u64;
            for item in map.values() {
                total = total.wrapping_add(item.words[0]);
            }
            total
        }
    };
}

export!(
    SlotMap,
    slot_new,
    slot_delete,
    slot_insert,
    slot_refill,
    slot_erase,
    slot_look_up,
    slot_iterate
);
export!(
    HopSlotMap,
    hop_new,
    hop_delete,
    hop_insert,
    hop_refill,
    hop_erase,
    hop_look_up,
    hop_iterate
);
