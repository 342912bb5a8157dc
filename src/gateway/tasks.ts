import { ERRORS } from "../kernel/errors.ts";
import { isJsonObject } from "../kernel/json.ts";
import { runHasEnded } from "../model/states.ts";
import { requireScope } from "../ports/caller.ts";
import type { EntryPoint } from "../ports/definitions.ts";
import { checkMayChange } from "../approvals/access-level.ts";
import { decideByAnswer, pendingQuestions, readTask } from "../runs/tasks.ts";
import { runView } from "../runs/views.ts";
import { modernMembers } from "./lists.ts";
import { badParam, type IdentifiedCall, type Method } from "./method.ts";
import {
  capabilitiesOf,
  knowsTasks,
  lacking,
  modesOf,
  responsesIn,
  resultMembers,
  TASKS,
} from "./tool-calls.ts";

/** The methods of the Tasks extension: a task is a run, so they read and change runs. */
export function taskMethods(entry: EntryPoint): readonly (readonly [string, Method])[] {
  const method = (
    name: string,
    run: (id: string, call: IdentifiedCall) => Promise<string>,
  ): readonly [string, Method] => [
    name,
    {
      kind: "identified",
      generations: ["modern"],
      label: () => name,
      run: (call) => run(taskIdOf(call), call),
    },
  ];
  return [
    method("tasks/get", async (id, call) => `{${modernMembers()},${await taskMembers(entry, id, call)}}`),
    method("tasks/update", update),
    method("tasks/cancel", cancel),
  ];
}

function taskIdOf(call: IdentifiedCall): string {
  if (!knowsTasks(capabilitiesOf(call))) throw lacking({ extensions: { [TASKS]: {} } });
  const { taskId } = call.params;
  if (typeof taskId !== "string") throw badParam("/taskId", "the id of a task", taskId);
  return taskId;
}

/** A whole task, as JSON without braces. */
export async function taskMembers(entry: EntryPoint, id: string, call: IdentifiedCall): Promise<string> {
  const { context } = call;
  const modes = modesOf(capabilitiesOf(call));
  const { run, status, fields, inputRequests } = await readTask(context.services, id, context.caller, modes);
  const base = JSON.stringify(fields).slice(1, -1);
  if (status === "input_required") return `${base},"inputRequests":${JSON.stringify(inputRequests)}`;
  if (status === "failed") {
    const error = { code: ERRORS.internal.rpc, message: run.error?.message ?? "The run failed." };
    return `${base},"error":${JSON.stringify(error)}`;
  }
  if (status !== "completed") return base;
  const envelope = await entry.ended(run, context);
  return `${base},"result":{"resultType":"complete",${resultMembers(entry, context, envelope)}}`;
}

/** Answers to what a task asks; those to anything else are ignored. */
async function update(id: string, call: IdentifiedCall): Promise<string> {
  const { context } = call;
  const { services, caller } = context;
  const modes = modesOf(capabilitiesOf(call));
  const { run } = await readTask(services, id, caller, modes);
  const given = responsesIn(call);
  for (const question of await pendingQuestions(services, run, caller, modes)) {
    const answer = given[question.key] ?? null;
    if (isJsonObject(answer)) await decideByAnswer(question, answer, context);
  }
  return ack();
}

async function cancel(id: string, { context: { services, caller } }: IdentifiedCall): Promise<string> {
  const { status } = await runView(services, id, caller);
  if (runHasEnded(status)) return ack();
  requireScope(caller, "run", "tasks/cancel");
  await checkMayChange(services, id, caller);
  await services.engine.cancel(id, caller);
  return ack();
}

function ack(): string {
  return `{${modernMembers()}}`;
}
