import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError } from "../kernel/errors.ts";
import { isObject, type Json } from "../kernel/json.ts";
import type { TriggerSettings } from "../model/triggers.ts";

/* How senders prove who they are, from the documented algorithms of each scheme. */

/** A request as it came. */
export interface Delivery {
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

type Verifier = NonNullable<TriggerSettings["verifier"]>;

interface Scheme {
  /** The signatures that are shown, and what they have to be of. */
  readonly signed: (delivery: Delivery, header: string) => Signed | null;
  /** Where the signature or the token stands. */
  readonly header: string;
  /** Which header or member of the payload names a message. */
  readonly idHeader?: string;
  readonly idMember?: string;
}

interface Signed {
  readonly given: readonly string[];
  readonly content: Buffer | null;
  readonly encoding: "hex" | "base64";
  /** Seconds since the epoch, where the scheme signs a time. */
  readonly at?: number;
}

const DEFAULT_TOLERANCE_SECONDS = 300;

const SCHEMES: Readonly<Record<Verifier, Scheme>> = {
  "standard-webhooks": {
    header: "webhook-signature",
    idHeader: "webhook-id",
    signed({ headers, body }, header) {
      const [id, at] = [headers["webhook-id"], headers["webhook-timestamp"]];
      if (id === undefined || at === undefined) return null;
      const given = (headers[header] ?? "")
        .split(" ")
        .flatMap((one) => (one.startsWith("v1,") ? [one.slice(3)] : []));
      return {
        given,
        content: Buffer.concat([Buffer.from(`${id}.${at}.`), body]),
        encoding: "base64",
        at: Number(at),
      };
    },
  },
  github: {
    header: "x-hub-signature-256",
    idHeader: "x-github-delivery",
    signed: ({ headers, body }, header) => ({
      given: [after(headers[header], "sha256=")],
      content: body,
      encoding: "hex",
    }),
  },
  stripe: {
    header: "stripe-signature",
    idMember: "id",
    signed({ headers, body }, header) {
      const parts = (headers[header] ?? "").split(",").map((part) => part.trim().split("=", 2));
      const values = (name: string): readonly string[] =>
        parts.flatMap(([key, value = ""]) => (key === name ? [value] : []));
      const [at = ""] = values("t");
      return {
        given: values("v1"),
        content: Buffer.concat([Buffer.from(`${at}.`), body]),
        encoding: "hex",
        at: Number(at),
      };
    },
  },
  slack: {
    header: "x-slack-signature",
    idMember: "event_id",
    signed({ headers, body }, header) {
      const at = headers["x-slack-request-timestamp"] ?? "";
      const content = Buffer.concat([Buffer.from(`v0:${at}:`), body]);
      return { given: [after(headers[header], "v0=")], content, encoding: "hex", at: Number(at) };
    },
  },
  hmac: {
    header: "x-signature",
    signed({ headers, body }, header) {
      const [given = ""] = shownIn(headers, header, OTHER_SIGNATURES).map((text) => after(text, "sha256="));
      return { given: [given], content: body, encoding: /^[0-9a-f]{64}$/i.test(given) ? "hex" : "base64" };
    },
  },
  token: {
    header: "authorization",
    signed: ({ headers }, header) => ({
      given: shownIn(headers, header, OTHER_TOKENS).map((text) => after(text, "Bearer ")),
      content: null,
      encoding: "hex",
    }),
  },
};

/** Where senders put a signature or a token that cannot choose the header. */
const OTHER_SIGNATURES = ["x-webhook-signature", "x-signature-256", "x-hub-signature-256"];
const OTHER_TOKENS = ["x-webhook-token", "x-gitlab-token"];

function shownIn(headers: Delivery["headers"], header: string, others: readonly string[]): readonly string[] {
  return [header, ...others].flatMap((name) => headers[name] ?? []);
}

function after(text = "", prefix: string): string {
  return text.toLowerCase().startsWith(prefix.toLowerCase()) ? text.slice(prefix.length) : text;
}

/** Throws unless the request proves that its sender knows the secret, and that it is not old. */
export function checkSender(
  settings: TriggerSettings,
  delivery: Delivery,
  secret: string,
  now: number,
): void {
  const verifier = settings.verifier ?? "token";
  const header = headerOf(settings);
  const signed = SCHEMES[verifier].signed(delivery, header);
  const { given = [], content = null, encoding = "hex", at } = signed ?? {};
  const wanted =
    content === null
      ? Buffer.from(secret)
      : createHmac("sha256", keyOf(verifier, secret)).update(content).digest();
  const isGenuine = given
    .filter((one) => one !== "")
    .some((one) => same(content === null ? Buffer.from(one) : Buffer.from(one, encoding), wanted));
  if (signed === null || !isGenuine) {
    throw new AppError(
      "unauthorized",
      "The request does not carry a valid signature or token of this webhook.",
      {
        nextAction: `Send it in the header ${header} as the verifier ${verifier} describes it: docs/triggers.md.`,
      },
    );
  }
  const tolerance = settings.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  if (at === undefined || Math.abs(now / 1_000 - at) <= tolerance) return;
  throw new AppError("unauthorized", `The signed time is more than ${tolerance} s from now.`, {
    nextAction: "Send it again with the time of now, or raise toleranceSeconds.",
  });
}

/** The header of the signature or the token, in lower case. */
export function headerOf({ verifier = "token", header }: TriggerSettings): string {
  const isOpen = verifier === "hmac" || verifier === "token";
  return (isOpen ? header?.toLowerCase() : undefined) ?? SCHEMES[verifier].header;
}

/** The name that the sender gave the message; null where there is none. */
export function messageId(settings: TriggerSettings, { headers }: Delivery, payload: Json): string | null {
  const { idHeader, idMember } = SCHEMES[settings.verifier ?? "token"];
  const wanted = settings.idHeader?.toLowerCase() ?? idHeader;
  const id = wanted === undefined ? undefined : headers[wanted];
  const member = idMember !== undefined && isObject(payload) ? payload[idMember] : undefined;
  const found = id ?? (typeof member === "string" ? member : undefined);
  return found === undefined || found === "" ? null : found.slice(0, 500);
}

/** A secret that the scheme takes. */
export function newSecret(verifier: Verifier): string {
  const bytes = randomBytes(32);
  return verifier === "standard-webhooks" ? `whsec_${bytes.toString("base64")}` : bytes.toString("hex");
}

function keyOf(verifier: Verifier, secret: string): Buffer {
  return verifier === "standard-webhooks"
    ? Buffer.from(after(secret, "whsec_"), "base64")
    : Buffer.from(secret);
}

function same(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
