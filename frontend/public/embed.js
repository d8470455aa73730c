/**
 * <gradflow-graph>: a PyTorch program and its gradients, playing in a page. The program is the text of the element, or
 * that of the file that `src` names, or an `example` of the gallery:
 *
 *   <script src="https://gradflow.example/embed.js"></script>
 *   <gradflow-graph height="520">x = torch.tensor([1., 2.], requires_grad=True)
 *   (x * x).sum().backward()</gradflow-graph>
 */
(() => {
  const home = document.currentScript.src;
  /** Attributes that go into the fragment of the address as they are. */
  const PASSED = ['example', 'step', 'view', 'lang', 'gradient'];

  /** A program as the playground's links hold it: deflated, in base64 for addresses. */
  async function pack(source) {
    const stream = new Blob([source]).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  }

  /** Text without the indentation that all of its lines share. */
  function dedent(text) {
    const lines = text
      .replace(/^\s*\n/, '')
      .trimEnd()
      .split('\n');
    const indents = lines.filter((line) => line.trim()).map((line) => line.match(/^\s*/)[0].length);
    const common = Math.min(...indents);
    return lines.map((line) => line.slice(common)).join('\n');
  }

  class GradflowGraph extends HTMLElement {
    static observedAttributes = ['src', 'theme', 'height', ...PASSED];
    #source = '';
    #frame = document.createElement('iframe');
    #turn = 0;

    constructor() {
      super();
      this.attachShadow({ mode: 'open' }).append(this.#frame);
      this.#frame.style.cssText = 'display: block; width: 100%; border: 0; border-radius: 14px';
      this.#frame.loading = 'lazy';
    }

    connectedCallback() {
      this.style.display ||= 'block';
      // the text of an element that is being parsed comes after its beginning
      if (document.readyState === 'loading')
        document.addEventListener('DOMContentLoaded', () => this.#show(), { once: true });
      else void this.#show();
    }

    attributeChangedCallback() {
      if (this.isConnected && this.#turn > 0) void this.#show();
    }

    async #show() {
      const turn = ++this.#turn;
      const failed = await this.#read();
      if (failed) {
        this.shadowRoot.replaceChildren(Object.assign(document.createElement('p'), { textContent: failed }));
        return;
      }
      const fragment = await this.#fragment();
      if (turn !== this.#turn) return;
      const address = new URL('embed', home);
      if (this.hasAttribute('theme')) address.searchParams.set('theme', this.getAttribute('theme'));
      address.hash = fragment;
      this.#frame.title = this.title || 'Gradflow';
      this.#frame.style.height = `${Number(this.getAttribute('height')) || 520}px`;
      this.#frame.src = address.href;
      this.shadowRoot.replaceChildren(this.#frame);
    }

    /** Finds the program; what cannot be had is said in its place. */
    async #read() {
      this.#source = dedent(this.textContent);
      const file = this.getAttribute('src');
      if (!file) return null;
      try {
        const answer = await fetch(new URL(file, document.baseURI));
        if (!answer.ok) return `${file}: ${answer.status} ${answer.statusText}`;
        this.#source = await answer.text();
        return null;
      } catch (cause) {
        return `${file}: ${cause}`;
      }
    }

    async #fragment() {
      const parts = new URLSearchParams();
      if (this.#source && !this.hasAttribute('example')) parts.set('code', await pack(this.#source));
      for (const name of PASSED) if (this.hasAttribute(name)) parts.set(name, this.getAttribute(name));
      return parts.toString();
    }
  }

  if (!customElements.get('gradflow-graph')) customElements.define('gradflow-graph', GradflowGraph);
})();
