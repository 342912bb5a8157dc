import manifest from "../../package.json" with { type: "json" };

/** Who this service is, wherever it introduces itself. */
export const SERVICE = {
  /** The neutral id that packets and documents carry. */
  id: "svc",
  name: "workflow-ui",
  title: "Workflow-UI",
  /** The version of the interface, which clients rely on. */
  version: "0.10.0",
  /** The version of this build: builds that differ in schema differ in it. */
  build: manifest.version,
  summary:
    "Turns tool, operation and schema definitions into forms people can operate, chains them into durable workflows with people in the loop, and prepares handoffs to sibling services.",
} as const;
