import { Badge } from "@workflow-ui/forms-react/ui/badge.tsx";

/** The words for what a definition can do. */
const WORDS: Readonly<Record<string, string>> = {
  read: "reads",
  write: "writes",
  destructive: "deletes",
};

/** What a definition can do, in a word. */
export function effectWord(effect: string): string {
  return WORDS[effect] ?? effect;
}

/** What a definition can do, as a badge. */
export function DefinitionEffect({ effect }: { readonly effect: string }) {
  return (
    <Badge tone={effect === "read" ? "good" : effect === "destructive" ? "bad" : "warn"}>
      {effectWord(effect)}
    </Badge>
  );
}
