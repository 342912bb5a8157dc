import { exampleText } from "./command-line.ts";
import { EXAMPLES, type ExampleEntry } from "./table.ts";

/** An example as the tools and resources show it. */
export function exampleView({ command, example }: ExampleEntry) {
  return {
    id: example.id,
    title: example.title,
    command: command.path,
    summary: command.summary,
    text: exampleText(command, example).trimEnd(),
    access: command.access,
    needs: [...example.needs],
    interactive: example.needs.includes("terminal"),
  };
}

/** Every example, in the table's order. */
export function exampleViews() {
  return EXAMPLES.map(exampleView);
}
