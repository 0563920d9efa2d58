
// In the reference, which calls it page.html, the page has the others beside it.
if (location.pathname.endsWith('/page.html')) {
    by('links').hidden = false;
    by('sources').hidden = true;
}
beginSmall();
beginSwarm();
beginGrid();
beginLanes();
beginWorld();
beginRewind();
beginReport();
addEventListener('resize', drawSmall);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    drawSmall();
    drawGrid();
});
