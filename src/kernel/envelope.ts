import { errorBody, type AppError } from "./errors.ts";
import type { JsonObject } from "./json.ts";

/** What every REST answer and every tool result is wrapped in. `ok` is false when what was asked did not happen. */
export interface Envelope<T = JsonObject> {
  readonly ok: boolean;
  readonly data: T;
}

/** What was asked happened; here is the result. */
export function ok(data: JsonObject): Envelope {
  return { ok: true, data };
}

/** The same for a result with a large member that is JSON text already: the text goes to the caller as it is. */
export function okWithText(name: string, text: string, rest: JsonObject): Written {
  const others = JSON.stringify(rest).slice(1, -1);
  const data = `${JSON.stringify(name)}:${text}${others === "" ? "" : `,${others}`}`;
  return new Written(`{"ok":true,"data":{${data}}}`);
}

/** The JSON of an envelope. */
export function envelopeText(envelope: Envelope): string {
  return envelope instanceof Written ? envelope.text : JSON.stringify(envelope);
}

/** An envelope that was written before it was asked for: its data is parsed only for a caller that looks into it. */
export class Written implements Envelope {
  readonly ok = true;
  readonly text: string;
  #data: JsonObject | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get data(): JsonObject {
    this.#data ??= dataIn(this.text);
    return this.#data;
  }

  toJSON(): Envelope {
    return { ok: this.ok, data: this.data };
  }
}

/** What was asked did not happen; the data says why. */
export class NotDone implements Envelope {
  readonly ok = false;
  readonly data: JsonObject;

  constructor(data: JsonObject) {
    this.data = data;
  }
}

/** Why an action ended degraded: nothing is claimed, and the caller learns what to do. */
export interface Degradation {
  readonly reason: string;
  /** The adapter (storage or a sibling) that is missing or did not confirm. */
  readonly adapter: string;
  readonly nextAction: string;
  /** What was observed of the target, when something was. */
  readonly confirmation?: { readonly required: true; readonly received: false; readonly source: null };
  readonly evidence?: JsonObject;
}

/** The action was not done because an adapter is missing or did not confirm. */
export function degraded(why: Degradation, extra: JsonObject = {}): NotDone {
  return new NotDone({
    ...extra,
    status: "degraded",
    reason: why.reason,
    adapter: why.adapter,
    confirmation: why.confirmation ?? { required: true, received: false, source: null },
    nextAction: why.nextAction,
    ...(why.evidence && { evidence: why.evidence }),
  });
}

/** The action failed with an error of our table. */
export function failed(error: AppError): NotDone {
  return new NotDone({ error: errorBody(error) });
}

/** The text is our own. */
function dataIn(text: string): JsonObject {
  const { data }: Envelope = JSON.parse(text);
  return data;
}
