/*
 * Formats as the forms need them: to offer sample values, and to tell whether a text is one. All patterns are linear.
 */

const FULL_DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const FULL_TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d\d:?\d\d)$/i;
const DURATION = /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const HOSTNAME =
  /^(?=.{1,253}\.?$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.?$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.|$)){4}$/;

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

/** Whether a text has a format; formats we do not know are taken for granted, as the standard says. */
export function matchesFormat(format: string, text: string): boolean {
  if (text.length > 4_096) return true;
  switch (format) {
    case "date":
      return isDate(text);
    case "time":
      return FULL_TIME.test(text);
    case "date-time": {
      const [date = "", time = ""] = text.split(/[t ]/i);
      return isDate(date) && FULL_TIME.test(time);
    }
    case "duration":
      return DURATION.test(text);
    case "email":
    case "idn-email":
      return EMAIL.test(text);
    case "uri":
    case "url":
    case "iri":
      return /^[a-z][a-z0-9+.-]*:[^\s]*$/i.test(text);
    case "uri-reference":
    case "iri-reference":
      return !/[\s\\]/.test(text);
    case "uuid":
      return UUID.test(text);
    case "hostname":
      return HOSTNAME.test(text);
    case "ipv4":
      return IPV4.test(text);
    case "ipv6":
      return /^[0-9a-f:.]{2,45}$/i.test(text) && text.includes(":");
    case "json-pointer":
      return text === "" || (text.startsWith("/") && !/~(?![01])/.test(text));
    case "byte":
    case "base64":
      return /^[A-Za-z0-9+/]*={0,2}$/.test(text);
    default:
      return true;
  }
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
