// Standings that follow the league: when they have changed, take the new ones.

import { refresher, stream } from "./again.js";

const root = document.getElementById("fresh");
stream(root.dataset.events, { [root.dataset.on]: refresher("fresh") });
