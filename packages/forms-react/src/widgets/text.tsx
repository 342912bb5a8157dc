import { Eye, EyeOff } from "lucide-react";
import { useContext, useId, useState, type ComponentProps } from "react";
import { cx } from "../ui/cx.ts";
import { Suggestions, useFormScope, useValue } from "../context.ts";
import { Frame, placeholderOf, useControlProps } from "../frame.tsx";
import { literal, readDuration } from "@workflow-ui/forms";
import type { WidgetProps } from "./types.ts";

const INPUTS: Readonly<
  Record<string, Pick<ComponentProps<"input">, "type" | "inputMode" | "placeholder" | "spellCheck">>
> = {
  email: { inputMode: "email", placeholder: "name@example.com", spellCheck: false },
  url: { inputMode: "url", placeholder: "https://", spellCheck: false },
  uuid: { placeholder: "00000000-0000-0000-0000-000000000000", spellCheck: false },
  hostname: { placeholder: "example.com", spellCheck: false },
  ipv4: { placeholder: "192.0.2.1", spellCheck: false },
  ipv6: { placeholder: "2001:db8::1", spellCheck: false },
  regex: { placeholder: "^[a-z]+$", spellCheck: false },
  "json-pointer": { placeholder: "/a/b", spellCheck: false },
  duration: { placeholder: "PT15M", spellCheck: false },
};
const MONO = new Set(["uuid", "ipv4", "ipv6", "regex", "json-pointer", "duration", "hostname"]);

/** One line of text, in all its formats. Emptying an optional field takes the value away. */
export function TextWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const listId = useId();
  const text =
    typeof value === "string" ? value : value === undefined || value === null ? "" : literal(value);
  const hints = INPUTS[field.widget] ?? {};
  const options = field.ui?.options ?? {};
  const most = field.constraints?.maxLength;
  const narrow = options["trim"] === true && most !== undefined && { maxWidth: `${most + 4}ch` };
  const offered = useContext(Suggestions)(pointer);
  const suggestions =
    field.widget === "combobox"
      ? field.options?.map((option) => ({ value: literal(option.value), label: option.label }))
      : offered.length > 0
        ? offered
        : undefined;
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <input
        {...hints}
        {...props}
        type="text"
        inputMode={options["inputMode"] === "tel" ? "tel" : hints.inputMode}
        maxLength={options["restrict"] === true ? most : undefined}
        style={narrow || undefined}
        value={text}
        list={suggestions === undefined ? undefined : listId}
        placeholder={placeholderOf(field) ?? hints.placeholder}
        autoComplete={typeof options["autocomplete"] === "string" ? options["autocomplete"] : "off"}
        onChange={(event) =>
          store.set(pointer, emptied(event.target.value, required || options["keepEmpty"] === true))
        }
        className={cx("field-control", MONO.has(field.widget) && "font-mono")}
      />
      {suggestions === undefined ? null : (
        <datalist id={listId}>
          {suggestions.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </datalist>
      )}
      {field.widget === "duration" ? <DurationNote text={text} /> : null}
    </Frame>
  );
}

function DurationNote({ text }: { readonly text: string }) {
  const words = readDuration(text);
  return words === "" ? null : <p className="mt-1 text-xs text-ink-3">{words}</p>;
}

/** Several lines; grows with its text. */
export function MultilineWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const rows = field.ui?.options?.["rows"];
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <textarea
        {...props}
        rows={3}
        maxLength={field.ui?.options?.["restrict"] === true ? field.constraints?.maxLength : undefined}
        style={typeof rows === "number" ? { minHeight: `${Math.min(rows, 40) * 1.375}rem` } : undefined}
        value={typeof value === "string" ? value : ""}
        placeholder={placeholderOf(field)}
        onChange={(event) => store.set(pointer, emptied(event.target.value, required))}
        className="field-control field-sizing-content max-h-96 min-h-20"
      />
    </Frame>
  );
}

/** Text that is masked until the person asks to see it. */
export function PasswordWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store, t } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const [shown, setShown] = useState(false);
  return (
    <Frame field={{ ...field, secret: true }} pointer={pointer} required={required} hideLabel={bare}>
      <div className="relative">
        <input
          {...props}
          type={shown ? "text" : "password"}
          value={typeof value === "string" ? value : ""}
          autoComplete="off"
          data-secret
          spellCheck={false}
          onChange={(event) => store.set(pointer, emptied(event.target.value, required))}
          className="field-control pe-10 font-mono"
        />
        <button
          type="button"
          aria-label={t(shown ? "Hide" : "Show")}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-0 end-0 grid w-9 place-items-center rounded-e-md text-ink-3 hover:text-ink"
        >
          {shown ? <EyeOff className="size-4" /> : <Eye className="size-4" />}
        </button>
      </div>
    </Frame>
  );
}

const HEX = /^#[0-9a-f]{6}$/i;

/** A colour: the platform's picker and the text beside each other. */
export function ColorWidget({ field, pointer, required, bare = false }: WidgetProps) {
  const { store } = useFormScope();
  const value = useValue(pointer);
  const props = useControlProps(field, pointer, required);
  const text = typeof value === "string" ? value : "";
  const standard = typeof field.default === "string" ? field.default : "";
  const picked = [text, standard].find((each) => HEX.test(each)) ?? "#888888";
  return (
    <Frame field={field} pointer={pointer} required={required} hideLabel={bare}>
      <div className="flex gap-2">
        <input
          type="color"
          aria-label={`${field.label}: pick`}
          value={picked}
          disabled={props.readOnly}
          onChange={(event) => store.set(pointer, event.target.value)}
          className="h-[34px] w-11 shrink-0 rounded-[7px] border border-line bg-surface p-1"
        />
        <input
          {...props}
          type="text"
          value={text}
          placeholder={placeholderOf(field) ?? "#336699"}
          spellCheck={false}
          onChange={(event) => store.set(pointer, emptied(event.target.value, required))}
          className="field-control font-mono"
        />
      </div>
    </Frame>
  );
}

/** An empty optional text is an absent one. A required one stays as the empty text. */
export function emptied(text: string, required: boolean): string | undefined {
  return text === "" && !required ? undefined : text;
}
