// The page of a league: replaces the standings when they have changed.

import { refresher, stream } from "./refresh.js";

const root = document.getElementById("fresh");
stream(root.dataset.events, { [root.dataset.on]: refresher("fresh") });
