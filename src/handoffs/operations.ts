import { statusOf } from "../model/status.ts";
import { Type } from "typebox";
import { AppError } from "../kernel/errors.ts";
import { freeObject, inputOf, NEXT_CURSOR, PAGE_INPUT } from "../model/common.ts";
import { HandoffDetail, HandoffStateName, HandoffView } from "../model/handoffs.ts";
import { ownedFor, readsPrivate } from "../ports/caller.ts";
import { operationsWith, pageIn } from "../ports/operations.ts";
import type { HandoffRecord } from "../ports/records.ts";
import { runFromHandoff, settled } from "./outcome.ts";
import { handoffView } from "./views.ts";

const { operation, declared } = operationsWith<unknown>();
const id = Type.String({ description: "The id of the packet." });
const direction = Type.Optional(Type.Enum(["in", "out"], { description: "Received or sent." }));

operation({
  name: "list_handoffs",
  title: "List handoffs",
  description: "Received and sent handoffs, newest first; without read-private your own.",
  http: "GET /api/svc/handoffs",
  access: { any: ["handoff", "read-private"] },
  input: inputOf({ direction, state: Type.Optional(HandoffStateName), ...PAGE_INPUT }),
  output: Type.Object({ handoffs: Type.Array(HandoffView), nextCursor: NEXT_CURSOR }),
  async run(input, { services: { store, settings }, caller }) {
    const { items, nextCursor } = await store.read.handoffs.list(pageIn(input), {
      ...ownedFor(caller),
      ...(input.direction !== undefined && { direction: input.direction }),
      ...(input.state !== undefined && { state: input.state }),
    });
    return { handoffs: items.map((record) => handoffView(record, settings.baseUrl)), nextCursor };
  },
});

operation({
  name: "get_handoff",
  title: "Show a handoff",
  description: "One handoff with its packet: where it stands, what was tried and what was confirmed.",
  http: "GET /api/svc/handoffs/{id}",
  access: { any: ["handoff", "read-private"] },
  input: inputOf({ id, direction }),
  output: HandoffDetail,
  async run(input, { services, caller }) {
    const { handoffs } = services.store.read;
    const seen = async (way: "in" | "out"): Promise<HandoffRecord | null> => {
      const one =
        input.direction === undefined || input.direction === way ? await handoffs.get(input.id, way) : null;
      return one !== null && readsPrivate(caller, one.createdBy) ? one : null;
    };
    const found = (await seen("in")) ?? (await seen("out"));
    if (found === null) throw new AppError("not_found", "There is no handoff with this id.");
    const record = await settled(services, found);
    return { ...handoffView(record, services.settings.baseUrl), packet: record.packet };
  },
});

operation({
  name: "run_handoff",
  title: "Run a workflow from a handoff",
  description: "Starts a run of a workflow from an accepted handoff; its outcome becomes the handoff's.",
  http: "POST /api/svc/handoffs/{id}/run",
  access: { all: ["handoff", "run"] },
  effect: "external",
  idempotent: true,
  status: 202,
  input: inputOf({
    id,
    workflowId: Type.String({ minLength: 1, description: "The workflow to run." }),
    inputs: Type.Optional(
      Type.Union([freeObject("The workflow's own inputs."), Type.Null()], {
        description: "The inputs of the run; those of the packet when left out.",
      }),
    ),
  }),
  output: Type.Object({
    handoff: HandoffView,
    run: Type.Object({
      id: Type.String(),
      status: Type.String(),
      workflowId: Type.Union([Type.String(), Type.Null()]),
    }),
  }),
  async run({ id: packetId, workflowId, inputs = null }, { services, context }) {
    const { handoff, run } = await runFromHandoff(packetId, { workflowId, inputs }, context);
    return {
      handoff: handoffView(handoff, services.settings.baseUrl),
      run: { id: run.id, ...statusOf(run), workflowId: run.workflowId },
    };
  },
});

/** What callers do with handoffs, besides what the tools do. */
export const handoffOperations = declared;
