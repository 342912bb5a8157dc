import { listedFor } from "../ports/caller.ts";
import type { Resource } from "../ports/definitions.ts";
import { listApprovals } from "../approvals/list.ts";
import { runListItem, runView } from "../runs/views.ts";

/** The resources of this domain. */
export const runsResources: readonly Resource[] = [
  {
    uri: "svc://runs",
    name: "svc-runs",
    title: "Run summaries",
    description:
      "The newest runs with their states and times; without a key the public ones only, and never their values.",
    async read({ services, caller }) {
      const page = await services.store.read.runs.list({ limit: 50 }, listedFor(caller));
      return {
        runs: await Promise.all(page.items.map((run) => runListItem(services, run, caller))),
        nextCursor: page.nextCursor,
        engine: await services.engine.status(),
      };
    },
  },
  {
    uri: "svc://run/{id}",
    idsFrom: { resource: "svc://runs", tool: "run_workflow" },
    name: "svc-run-by-id",
    title: "One run",
    description:
      "One run with the progress of its steps; inputs, outputs, errors and approvals only with a key.",
    read: async ({ services, caller }, id) => ({ run: await runView(services, id, caller) }),
  },
  {
    uri: "svc://approvals",
    name: "svc-approvals",
    title: "Approval queue",
    description:
      "The newest approvals and their states. Without a key those of public runs, with notes, titles and content redacted.",
    async read({ services, caller }) {
      return listApprovals(services, { limit: 50 }, caller);
    },
  },
];
