/** Who this service is, wherever it introduces itself. `version` is the interface's and the package's. */
export const SERVICE = {
  /** The neutral id that packets and documents carry. */
  id: "svc",
  name: "workflow-ui",
  title: "Workflow-UI",
  version: "0.10.0",
  summary:
    "Turns tool, operation and schema definitions into forms people can operate, chains them into durable workflows with people in the loop, and prepares handoffs to sibling services.",
} as const;
