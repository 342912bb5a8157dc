import { useFormScope, useValue } from "../context.ts";
import { Frame, placeholderOf, useControlProps } from "../frame.tsx";
import { emptied } from "./text.tsx";
import type { WidgetProps } from "./types.ts";

const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(?::(\d{2}))?(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
const TIME = /^(\d{2}:\d{2})(?::(\d{2}))?(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})?$/;

/** A calendar date. */
export function DateWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const text = typeof value === "string" ? value : "";
  const known = text === "" || /^\d{4}-\d{2}-\d{2}$/.test(text);
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <input
        {...props}
        type={known ? "date" : "text"}
        value={text}
        placeholder={placeholderOf(field)}
        onChange={(event) => store.set(pointer, emptied(event.target.value, required))}
        className="field-control max-w-52"
      />
    </Frame>
  );
}

/** A time of day, with its offset. */
export function TimeWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const text = typeof value === "string" ? value : "";
  const match = TIME.exec(text);
  if (text !== "" && match === null) return <PlainText {...{ field, pointer, required, bare }} />;
  const [, clock = "", seconds = "00", zone = "Z"] = match ?? [];
  const write = (time: string, offset: string) => {
    const full = time.length === 5 ? `${time}:00` : time;
    store.set(pointer, time === "" ? emptied("", required) : `${full}${offset}`);
  };
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <div className="flex flex-wrap gap-2">
        <input
          {...props}
          type="time"
          step={1}
          value={clock === "" ? "" : `${clock}:${seconds}`}
          onChange={(event) => write(event.target.value, zone)}
          className="field-control w-40"
        />
        <Zone
          zone={zone}
          disabled={props.readOnly === true}
          label={field.label}
          onChange={(next) => write(clock === "" ? "" : `${clock}:${seconds}`, next)}
        />
      </div>
    </Frame>
  );
}

/** A date and time with the offset it is meant in, written as RFC 3339. */
export function DateTimeWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, plain, t } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const text = typeof value === "string" ? value : "";
  const match = DATE_TIME.exec(text);
  if (text !== "" && match === null) return <PlainText {...{ field, pointer, required, bare }} />;
  if (plain) return <LocalTime {...{ field, pointer, required, bare }} />;
  const [, day = "", clock = "", seconds = "00", zone] = match ?? [];
  const local = day === "" ? "" : `${day}T${clock}:${seconds}`;
  // Without an offset that was chosen it is the one that the person's zone has on that day.
  const write = (when: string, offset = localOffset(new Date(when))) => {
    const full = when.length === 16 ? `${when}:00` : when;
    store.set(pointer, when === "" ? emptied("", required) : `${full}${offset}`);
  };
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <div className="flex flex-wrap gap-2">
        <input
          {...props}
          type="datetime-local"
          step={1}
          value={local}
          onChange={(event) => write(event.target.value, zone)}
          className="field-control w-56"
        />
        <Zone
          zone={zone ?? localOffset(new Date())}
          disabled={props.readOnly === true}
          label={field.label}
          onChange={(next) => write(local, next)}
        />
        {props.readOnly === true ? null : (
          <button
            type="button"
            className="h-[34px] rounded-[7px] px-2 text-sm text-ink-2 hover:bg-hover hover:text-ink"
            onClick={() => store.set(pointer, new Date().toISOString().replace(/\.\d+Z$/, "Z"))}
          >
            {t("Now")}
          </button>
        )}
      </div>
      {text === "" ? null : <p className="mt-1 font-mono text-xs text-ink-3">{text}</p>}
    </Frame>
  );
}

/** A date and time where the person is, written as UTC. */
function LocalTime({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <input
        {...props}
        type="datetime-local"
        value={typeof value === "string" ? localText(new Date(value)) : ""}
        onChange={({ target: { value: when } }) =>
          store.set(pointer, when === "" ? emptied("", required) : new Date(when).toISOString())
        }
        className="field-control max-w-56"
      />
    </Frame>
  );
}

function localText(at: Date): string {
  const [year = "", ...rest] = [
    at.getFullYear(),
    at.getMonth() + 1,
    at.getDate(),
    at.getHours(),
    at.getMinutes(),
  ].map((part) => String(part).padStart(2, "0"));
  const [month, day, hour, minute] = rest;
  return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}`;
}

/** A date or time whose text the pickers cannot show is edited as text. */
function PlainText({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <input
        {...props}
        type="text"
        value={typeof value === "string" ? value : ""}
        onChange={(event) => store.set(pointer, emptied(event.target.value, required))}
        className="field-control max-w-80 font-mono"
      />
    </Frame>
  );
}

interface ZoneProps {
  readonly zone: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly onChange: (zone: string) => void;
}

function Zone({ zone, label, disabled, onChange }: ZoneProps) {
  const { t } = useFormScope();
  const here = localOffset(new Date());
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offsets = [...new Set([zone === "z" ? "Z" : zone, "Z", here, ...OFFSETS])];
  return (
    <select
      aria-label={t(`${label}: time zone`)}
      value={zone === "z" ? "Z" : zone}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value)}
      className="field-control w-48"
    >
      {offsets.map((offset) => (
        <option key={offset} value={offset}>
          {offset === "Z" ? "UTC" : offset === here ? `${name} (${offset})` : `UTC${offset}`}
        </option>
      ))}
    </select>
  );
}

const OFFSETS = [
  "-11:00",
  "-10:00",
  "-09:00",
  "-08:00",
  "-07:00",
  "-06:00",
  "-05:00",
  "-04:00",
  "-03:00",
  "-02:00",
  "-01:00",
].concat([
  "+01:00",
  "+02:00",
  "+03:00",
  "+03:30",
  "+04:00",
  "+05:00",
  "+05:30",
  "+05:45",
  "+06:00",
  "+07:00",
  "+08:00",
  "+09:00",
  "+09:30",
  "+10:00",
  "+11:00",
  "+12:00",
  "+13:00",
]);

function localOffset(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "Z";
  const size = Math.abs(minutes);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
