// A page with <div id="replay" data-source="…">: fetch the match and its drawing, and start.

import { start } from "./replay.js";

const root = document.getElementById("replay");

try {
  const answer = await fetch(root.dataset.source);
  if (!answer.ok) throw new Error(`the server says ${answer.status}`);
  const match = await answer.json();
  const game = match.drawn ? await import(`./games/${match.game}.js`) : null;
  start(root, match, game);
} catch (error) {
  root.textContent = `The match cannot be shown: ${error.message}.`;
}
