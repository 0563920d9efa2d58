
/* A table, whose cells lie in memory as its lanes say. */

const COLUMNS_OF_TABLE = ['x', 'y', 'mass'];
let point = 0n; // the selected handle

function lanesCells() {
    const cells = [];
    for (let row = 0; row < lib.lanes_count(); row++)
        COLUMNS_OF_TABLE.forEach((name, column) => cells.push({ row, column, name,
            address: lib.lanes_address(row, column), value: lib.lanes_value(row, column) }));
    return cells.sort((a, b) => a.address - b.address);
}

// A line for each column, or for each group of rows, with the unused lanes of the last one.
function drawLanes() {
    const chosenRow = lib.lanes_row(point);
    const lanes = Number(by('lanes-choice').value);
    const lines = [];
    let end = 0;
    for (const { row, column, name, address, value } of lanesCells()) {
        if (lanes === 0 ? row === 0 : column === 0 && row % lanes === 0) {
            lines.push(document.createElement('div'));
            lines.at(-1).className = 'lane';
            end = address;
        }
        for (; end < address; end += 4)
            lines.at(-1).append(cell('', 'unused', 'free'));
        end = address + 4;
        const made = cell(`lane-${row}-${column}`, `${name}${row} ${value}`,
            `column-${column}${row === chosenRow ? ' chosen' : ''}`);
        made.addEventListener('click', () => {
            point = lib.lanes_handle(row);
            sayLanes(text(lib.lanes_describe(point)));
        });
        lines.at(-1).append(made);
    }
    by('lanes-memory').replaceChildren(...lines);
    by('lanes-stats').textContent = `${lib.lanes_count()} rows, ` +
        (chosenRow < 0 ? 'no row is selected' : `the selected one is row ${chosenRow}`);
}

function sayLanes(words) {
    by('lanes-said').textContent = words;
    drawLanes();
}

function beginLanes() {
    const restart = () => {
        lib.lanes_begin(Number(by('lanes-choice').value));
        for (let i = 0; i < 7; i++)
            lib.lanes_insert();
        point = lib.lanes_handle(2);
        sayLanes('');
    };
    by('lanes-choice').addEventListener('change', restart);
    by('lanes-insert').addEventListener('click', () => {
        const made = lib.lanes_insert();
        if (made !== 0n)
            point = made;
        sayLanes(made === 0n ? `Refused. ${text(lib.last_error())}`
            : `Inserted. ${text(lib.lanes_describe(made))}`);
    });
    by('lanes-erase').addEventListener('click', () => sayLanes(lib.lanes_erase(point)
        ? `Erased: the last row fills the gap, in each column. ${text(lib.lanes_describe(point))}`
        : `Refused. ${text(lib.lanes_describe(point))}`));
    by('lanes-sort').addEventListener('click', () => {
        lib.lanes_sort();
        sayLanes('In the order of x. Each handle finds its row, wherever that is now.');
    });
    restart();
}
