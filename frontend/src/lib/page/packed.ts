/** Anything that JSON can say, as gzip in base64: in one file with the page it is a seventh as long. */
export async function pack(content: unknown): Promise<string> {
  const stream = new Blob([JSON.stringify(content)]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  // All at once would be more arguments than a call can have.
  const parts = Array.from({ length: Math.ceil(bytes.length / 8192) }, (_, k) =>
    String.fromCharCode(...bytes.subarray(8192 * k, 8192 * (k + 1))),
  );
  return btoa(parts.join(''));
}

/** What `pack`, or `gradflow.show` in Python, has packed. */
export async function unpack<Content>(text: string): Promise<Content> {
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return (await new Response(stream).json()) as Content;
}
