interface TestEvent {
  readonly type: string;
  readonly data: { readonly file?: string };
}

/** A reporter for Node's test runner: the files in which a test failed, one a line. */
// oxlint-disable-next-line import/no-default-export -- the test runner takes a reporter from there
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const seen = new Set<string>();
  for await (const { type, data } of events) {
    if (type !== "test:fail" || data.file === undefined || seen.has(data.file)) continue;
    seen.add(data.file);
    yield `${data.file}\n`;
  }
}
