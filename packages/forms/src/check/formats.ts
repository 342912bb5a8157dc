import { isPattern } from "./regex.ts";

/*
 * Formats as JSON Schema names them: whether a text has one, and a sample of each. All patterns are linear.
 */

const FULL_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const FULL_TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d):?(\d\d))$/i;
const DURATION = /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const HOSTNAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`, "i");
const IDN_LABEL =
  /^(?!\p{M}|-|..--)[\u200c-\u200d\p{L}\p{N}\p{M}\u0f0b\u06fd\u06fe\u00b7\u0375\u05f3\u05f4\u30fb-]{1,63}(?<!-)$/u;
/** Characters that RFC 5892 forbids in a label, or allows beside certain others only. */
const IDN_WRONG =
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]|(?<!l)\u00b7|\u00b7(?!l)|\u0375(?!\p{Script=Greek})|(?<!\p{Script=Hebrew})[\u05f3\u05f4]|(?<![\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])\u{200d}/u;
const ARABIC_DIGIT = /[\u0660-\u0669]/;
const OTHER_ARABIC_DIGIT = /[\u06f0-\u06f9]/;
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const EMAIL_NAME = new RegExp(`^(?:${ATOM}(?:\\.${ATOM})*|"(?:[^"\\\\\\r\\n]|\\\\.)*")$`, "i");
const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

/** An address as RFC 3986 has it, or RFC 3987 with the characters of all scripts. */
function addressPattern(others: string, isAbsolute: boolean): RegExp {
  const escaped = "%[0-9a-f]{2}";
  const plain = `a-z0-9\\-._~!$&'()*+,;=${others}`;
  const char = `(?:[${plain}:@]|${escaped})`;
  const first = isAbsolute ? char : `(?:[${plain}@]|${escaped})`;
  const host = `(?:\\[(?:[0-9a-f:.]+|v[0-9a-f]+\\.[${plain}:]+)\\]|(?:[${plain}]|${escaped})*)`;
  const authority = `//(?:(?:[${plain}:]|${escaped})*@)?${host}(?::\\d*)?(?:/${char}*)*`;
  const path = `/(?:${char}+(?:/${char}*)*)?|${first}+(?:/${char}*)*|`;
  const tail = `(?:\\?(?:${char}|[/?])*)?(?:#(?:${char}|[/?])*)?`;
  const scheme = isAbsolute ? "[a-z][a-z0-9+.-]*:" : "";
  return new RegExp(`^${scheme}(?:${authority}|${path})${tail}$`, "iu");
}

const OTHERS = "\\u00a0-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef\\u{10000}-\\u{efffd}";
const URI = addressPattern("", true);
const RELATIVE = addressPattern("", false);
const IRI = addressPattern(OTHERS, true);
const RELATIVE_IRI = addressPattern(OTHERS, false);

const SAMPLES: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  time: "09:30:00Z",
  "date-time": "2026-01-31T09:30:00Z",
  duration: "PT15M",
  email: "person@example.com",
  "idn-email": "person@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  iri: "https://example.com/",
  "uri-reference": "/path",
  "iri-reference": "/path",
  "uri-template": "https://example.com/{id}",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  regex: "^[a-z]+$",
  "json-pointer": "/items/0",
  "relative-json-pointer": "1/name",
  color: "#336699",
  byte: "aGVsbG8=",
  base64: "aGVsbG8=",
  "data-url": "data:text/plain;base64,aGVsbG8=",
};

/** A text that has the format, when we know one. */
export function sampleOfFormat(format: string): string | undefined {
  return Object.hasOwn(SAMPLES, format) ? SAMPLES[format] : undefined;
}

const CHECKS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: isTime,
  "date-time": (text) => {
    const at = text.search(/[t ]/i);
    return at > 0 && isDate(text.slice(0, at)) && isTime(text.slice(at + 1));
  },
  duration: (text) => DURATION.test(text),
  email: (text) => isEmail(text, false),
  "idn-email": (text) => isEmail(text, true),
  hostname: (text) => HOSTNAME.test(text),
  "idn-hostname": isIdnHostname,
  ipv4: (text) => IPV4.test(text),
  ipv6: isIpv6,
  uri: (text) => URI.test(text),
  url: (text) => URI.test(text),
  iri: (text) => IRI.test(text),
  "uri-reference": (text) => URI.test(text) || RELATIVE.test(text),
  "iri-reference": (text) => IRI.test(text) || RELATIVE_IRI.test(text),
  "uri-template": (text) => /^(?:[^\s"'<>\\^`{|}]|\{[+#/;?&=!@|]?[\w.,:*%]+\})*$/.test(text),
  uuid: (text) => UUID.test(text),
  "json-pointer": isPointer,
  "relative-json-pointer": (text) => {
    const rest = /^(?:0|[1-9]\d*)(.*)$/s.exec(text)?.[1];
    return rest !== undefined && (rest === "#" || isPointer(rest));
  },
  regex: (text) => isPattern(text) && !/(?:^|[^\\])(?:\\\\)*\\[aZ]/.test(text),
  byte: isBase64,
  base64: isBase64,
};

/** Whether a text has a format; formats we do not know are taken for granted, as the standard says. */
export function matchesFormat(format: string, text: string): boolean {
  if (text.length > 4_096 || !Object.hasOwn(CHECKS, format)) return true;
  return CHECKS[format]?.(text) ?? true;
}

/** Whether a number has a format of OpenAPI. */
export function matchesNumberFormat(format: string, value: number): boolean {
  if (format === "int32") return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
  return format === "int64" ? Number.isInteger(value) : true;
}

function isDate(text: string): boolean {
  const match = FULL_DATE.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day <= last;
}

/** A time with its offset; a leap second is one at the end of a day in UTC only. */
function isTime(text: string): boolean {
  const match = FULL_TIME.exec(text);
  if (!match) return false;
  const [, hour = "", minute = "", second = "", sign = "+", offHour = "0", offMinute = "0"] = match;
  const [h, m, s, oh, om] = [hour, minute, second, offHour, offMinute].map(Number);
  if (h === undefined || m === undefined || s === undefined || oh === undefined || om === undefined)
    return false;
  if (h > 23 || m > 59 || s > 60 || oh > 23 || om > 59) return false;
  if (s < 60) return true;
  const offset = (oh * 60 + om) * (sign === "-" ? -1 : 1);
  return (h * 60 + m - offset + 2 * 1440) % 1440 === 1439;
}

/** A mailbox; a host without a dot, such as localhost, is one too. */
function isEmail(text: string, international: boolean): boolean {
  const at = text.lastIndexOf("@");
  const [name, host] = [text.slice(0, at), text.slice(at + 1)];
  if (at < 1 || name.length > 64) return false;
  if (!(international ? /^[^\s@]+$/.test(name) : EMAIL_NAME.test(name))) return false;
  const literal = /^\[(?:(IPv6:)([0-9a-f:.]+)|([0-9.]+))\]$/i.exec(host);
  if (literal) return literal[1] === undefined ? IPV4.test(literal[3] ?? "") : isIpv6(literal[2] ?? "");
  return international ? isIdnHostname(host) : HOSTNAME.test(host);
}

/** A host name in any script. */
function isIdnHostname(text: string): boolean {
  return text.length <= 253 && text.split(/[.\u3002\uff0e\uff61]/).every(isIdnLabel);
}

/** A label in any script; one in Punycode (`xn--…`) is not decoded. */
function isIdnLabel(label: string): boolean {
  if (/^xn--/i.test(label)) return HOSTNAME.test(label) && label.slice(6, 8) !== "--";
  return (
    IDN_LABEL.test(label) &&
    !IDN_WRONG.test(label) &&
    !(ARABIC_DIGIT.test(label) && OTHER_ARABIC_DIGIT.test(label)) &&
    (!label.includes("\u30fb") || JAPANESE.test(label))
  );
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2 || text.length > 45) return false;
  let groups = 0;
  for (const [index, half] of halves.entries()) {
    const parts = half === "" ? [] : half.split(":");
    for (const [at, part] of parts.entries()) {
      const isLast = index === halves.length - 1 && at === parts.length - 1;
      if (isLast && part.includes(".")) {
        if (!IPV4.test(part)) return false;
        groups += 2;
      } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups += 1;
      else return false;
    }
  }
  return halves.length === 2 ? groups < 8 : groups === 8;
}

function isPointer(text: string): boolean {
  return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
}

function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}
