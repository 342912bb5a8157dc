import type { Json } from "../../src/kernel/json.ts";

/** A run of this waits for a person and then does one thing. */
export const ASKING: Record<string, Json> = {
  nodes: [
    { id: "ask", type: "approval", approval: { title: "May it go on?" } },
    { id: "after", type: "tool", tool: "echo" },
  ],
  edges: [{ id: "e", from: "ask", to: "after", port: "approved" }],
};

/** A run of this goes on until it is let go. */
export const HELD: Record<string, Json> = {
  nodes: [{ id: "long", type: "tool", tool: "echo" }],
  edges: [],
};
