import { engineTests } from "./engine.testsuite.ts";

engineTests("sqlite");
