
/* A map in a history. */

const CHANGES = ['inserted', 'erased', 'edited'];
let held = []; // all handles that were ever issued, each once
let note = 0n; // the selected one
let taken = []; // marks; the history keeps the last of them

// A mark that is taken after going back replaces those that were ahead.
function takeMark() {
    taken = taken.filter((mark) => mark <= lib.rewind_end(1));
    taken.push(lib.rewind_mark());
    return taken.at(-1);
}

function changesOf(mark, before) {
    if (before === undefined)
        return 'the oldest';
    const said = CHANGES.map((word, kind) => [lib.rewind_changes(before, mark, kind), word])
        .filter(([count]) => count !== 0).map(([count, word]) => `${count} ${word}`);
    return said.length === 0 ? 'as before' : said.join(', ');
}

function markButton(mark, before) {
    const made = document.createElement('button');
    made.textContent = `Mark ${mark}: ${changesOf(mark, before)}`;
    made.className = mark === lib.rewind_end(1) ? 'chosen' : '';
    made.addEventListener('click', () => sayRewind(lib.rewind_to(mark)
        ? `All is as it was at mark ${mark}.` : `Refused. ${text(lib.last_error())}`));
    return made;
}

function drawRewind() {
    const count = lib.rewind_count();
    const live = new Map(Array.from({ length: count }, (_, index) =>
        [lib.rewind_handle(index), index]));
    by('rewind-handles').replaceChildren(...held.slice(-SHOWN).map((bits, i) => {
        const index = live.get(bits);
        const words = `index ${indexOf(bits)}, gen ${generationOf(bits)}` +
            (index === undefined ? '' : `: ${lib.rewind_number(index)}`);
        const made = cell(`note-${i}`, words, (index === undefined ? 'stale' : 'live') +
            (bits === note ? ' chosen' : ''));
        made.addEventListener('click', () => {
            note = bits;
            sayRewind(text(lib.rewind_describe(bits)));
        });
        return made;
    }));
    const marks = taken.filter((mark) => mark >= lib.rewind_end(0));
    by('rewind-marks').replaceChildren(...marks.map((mark, i) => markButton(mark, marks[i - 1])));
    by('rewind-stats').textContent = `${count} items, ${marks.length} marks, ` +
        `${number(lib.rewind_copied())} bytes of copies`;
}

function sayRewind(words) {
    by('rewind-said').textContent = words;
    drawRewind();
}

function insertNote() {
    const made = lib.rewind_insert();
    if (made === 0n)
        return `Refused. ${text(lib.last_error())}`;
    if (!held.includes(made))
        held.push(made);
    note = made;
    return `Inserted. ${text(lib.rewind_describe(made))}`;
}

function beginRewind() {
    const act = { insert: insertNote,
        erase: () => (lib.rewind_erase(note) ? 'Erased. ' : 'Refused. ') +
            text(lib.rewind_describe(note)),
        edit: () => (lib.rewind_edit(note) ? 'It is another number now. ' : 'Refused. ') +
            text(lib.rewind_describe(note)),
        mark: () => `This moment is mark ${takeMark()}.` };
    for (const [name, does] of Object.entries(act))
        by(`rewind-${name}`).addEventListener('click', () => sayRewind(does()));
    lib.rewind_begin();
    for (let i = 0; i < 4; i++)
        insertNote();
    takeMark();
    lib.rewind_erase(held[1]);
    insertNote();
    takeMark();
    sayRewind('');
}
