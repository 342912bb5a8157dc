import { Type, type Static } from "typebox";
import { Time, viewOf } from "./common.ts";

/** What an admin sets of a toolset. */
export const TOOLSET_SETTINGS = {
  title: Type.String({ minLength: 1, maxLength: 200, description: "What people call it." }),
  description: Type.String({ maxLength: 2_000, description: "What it is for; agents read it." }),
  tools: Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
    maxItems: 200,
    description: "Tools, connected tools (server:tool) and published workflows (their ids), in order.",
  }),
};

/** The name of a toolset. */
export const ToolsetName = Type.String({
  pattern: "^[a-z0-9][a-z0-9-]{0,62}$",
  description: "Short name; its address ends with it.",
});

/** A toolset as callers see it. */
export const ToolsetView = viewOf("Toolset", "Chosen tools at an MCP endpoint of their own.", {
  name: ToolsetName,
  ...TOOLSET_SETTINGS,
  address: Type.String({ description: "The MCP endpoint." }),
  changedAt: Time,
  changedBy: Type.String(),
});
export type ToolsetView = Static<typeof ToolsetView>;
