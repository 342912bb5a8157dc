import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { isObject } from "../../kernel/json.ts";

const MAX_TEXT = 16_384;
const BASE64URL = /^[\w-]+$/;

/** What a browser answers when a passkey is made, or null when it is not that. */
export function registrationIn(value: unknown): RegistrationResponseJSON | null {
  const found = credentialIn(value);
  if (found === null) return null;
  const { id, response } = found;
  const clientDataJSON = text(response["clientDataJSON"]);
  const attestationObject = text(response["attestationObject"]);
  if (clientDataJSON === null || attestationObject === null) return null;
  const transports = Array.isArray(response["transports"])
    ? response["transports"]
        .filter((one) => typeof one === "string" && /^[a-z-]{1,20}$/.test(one))
        .slice(0, 8)
    : [];
  return {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON, attestationObject, transports },
  };
}

/** What a browser answers when a passkey is used, or null when it is not that. */
export function assertionIn(value: unknown): AuthenticationResponseJSON | null {
  const found = credentialIn(value);
  if (found === null) return null;
  const { id, response } = found;
  const clientDataJSON = text(response["clientDataJSON"]);
  const authenticatorData = text(response["authenticatorData"]);
  const signature = text(response["signature"]);
  if (clientDataJSON === null || authenticatorData === null || signature === null) return null;
  const userHandle = text(response["userHandle"]);
  return {
    id,
    rawId: id,
    type: "public-key",
    clientExtensionResults: {},
    response: { clientDataJSON, authenticatorData, signature, ...(userHandle !== null && { userHandle }) },
  };
}

/** The challenge that an answer names; it counts only when it was sent and not used. */
export function challengeIn(clientDataJSON: string): string | null {
  try {
    const clientData: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    return isObject(clientData) ? text(clientData["challenge"]) : null;
  } catch {
    return null;
  }
}

function credentialIn(
  value: unknown,
): { readonly id: string; readonly response: Readonly<Record<string, unknown>> } | null {
  if (!isObject(value) || !isObject(value["response"]) || value["type"] !== "public-key") return null;
  const id = text(value["id"]);
  return id === null || id.length > 1_400 ? null : { id, response: value["response"] };
}

function text(value: unknown): string | null {
  return typeof value === "string" && value.length <= MAX_TEXT && BASE64URL.test(value) ? value : null;
}
