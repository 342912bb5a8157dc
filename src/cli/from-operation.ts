import type { InputOf, JsonObject, OperationName, OutputOf } from "../../packages/client/client.ts";
import type { Cli } from "./command.ts";
import { resolveId, type RecordKind } from "./newest.ts";
import type { Block } from "./output.ts";
import { agree } from "./asking.ts";
import { listResult, recordResult, type Columns, type Fields, type RowOf } from "./results.ts";
import type { CommandAbout, Declaration } from "./spec.ts";

/** Which operation a command calls, and with what. */
interface Calling<N extends OperationName> {
  readonly operation: N;
  readonly input: (cli: Cli) => InputOf<N> | Promise<InputOf<N>>;
  /** Of a tool: what its parameters cannot carry. */
  readonly meta?: (cli: Cli) => JsonObject;
}

/** A list: its rows, and the columns that a table shows of them. */
interface Listing<N extends OperationName, M extends keyof OutputOf<N>> extends Calling<N> {
  readonly rows: M;
  readonly columns: Columns<RowOf<OutputOf<N>[M]>>;
  /** What `--quiet` prints of a row; its `id` when left out. */
  readonly id?: keyof RowOf<OutputOf<N>[M]> & string;
}

/** What an operation's answer is about: one member of it, or the whole. */
type Shown<N extends OperationName, M extends keyof OutputOf<N>> = [M] extends [never]
  ? OutputOf<N>
  : NonNullable<OutputOf<N>[M]>;

/** A record: where the answer has it, the members that are shown of it, and what follows them. */
interface Showing<N extends OperationName, M extends keyof OutputOf<N>> extends Calling<N> {
  readonly record?: M;
  readonly fields: Fields<Shown<N, M>>;
  readonly more?: (data: OutputOf<N>, cli: Cli) => readonly Block[];
  /** What a person is asked before it is done. */
  readonly confirm?: (input: InputOf<N>, cli: Cli) => string;
}

/** A command that lists what an operation answers. */
export function list<N extends OperationName, M extends keyof OutputOf<N>>(
  spec: CommandAbout & Listing<N, M>,
): Declaration {
  const { operation, input, meta, rows, columns, id, ...about } = spec;
  return {
    ...about,
    async run(cli) {
      const envelope = await cli.client().run(operation, await input(cli), meta?.(cli));
      return listResult(cli, envelope, rows, columns, id);
    },
  };
}

/** A command that calls an operation and shows the record that it answers with. */
export function record<N extends OperationName, M extends keyof OutputOf<N> = never>(
  spec: CommandAbout & Showing<N, M>,
): Declaration {
  const { operation, input, meta, record: member, fields, more, confirm, ...about } = spec;
  return {
    ...about,
    async run(cli) {
      const given = await input(cli);
      if (confirm !== undefined) await agree(confirm(given, cli), cli.given.flag("yes"));
      const envelope = await cli.client().run(operation, given, meta?.(cli));
      const { data } = envelope;
      return recordResult(envelope, shownOf<N, M>(data, member), fields, more?.(data, cli));
    },
  };
}

function shownOf<N extends OperationName, M extends keyof OutputOf<N>>(
  data: OutputOf<N>,
  member: M | undefined,
): Shown<N, M>;
function shownOf(data: Readonly<Record<string, unknown>>, member: string | undefined): unknown {
  return member === undefined ? data : data[member];
}

/** The page of a list that the options name. */
export function page({ given }: Cli): {
  readonly limit: number | undefined;
  readonly cursor: string | undefined;
} {
  return { limit: given.integer("limit", 1, 100), cursor: given.option("cursor") };
}

/** The page of a tool's list: tools take the cursor beside their parameters. */
export const toolPage = {
  input: ({ given }: Cli) => ({ limit: given.integer("limit", 1, 100) }),
  meta: ({ given }: Cli) => ({ "svc/cursor": given.option("cursor") }),
} as const;

/** The record that the argument `id` names. */
export function byId(kind: RecordKind): (cli: Cli) => Promise<{ readonly id: string }> {
  return async (cli) => ({ id: await resolveId(cli, cli.given.argument("id"), kind) });
}
