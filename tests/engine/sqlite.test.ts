import { engineTests } from "./engine.testsuite.ts";

engineTests("sqlite");
engineTests("sqlite with a logbook from the first change on", undefined, { logbook: { busyFrom: 0 } });
