import { enableCompileCache } from "node:module";

// Before anything else is loaded: stripped and compiled modules are kept between starts.
enableCompileCache();

const { start } = await import("./start.ts");
await start();
