/** Checks `src` against `rooms.js`: `node check_rooms.js` prints every violation, and fails if there is one. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { parse } from 'svelte/compiler';
import ts from 'typescript';
import { GENERATED, MOST_FILES, MOST_LINES, ROOMS, SET_APART } from './rooms.js';

const ENDINGS = ['', '.ts', '.d.ts', '/index.ts'];

/** Whatever a Svelte file imports: in its scripts, in its markup, types too. */
function importsOfSvelte(text) {
  const found = [];
  const visit = (node) => {
    if (node === null || typeof node !== 'object') return;
    const from = /^(Import|Export|TSImport)/.test(node.type ?? '') ? (node.source ?? node.argument) : null;
    if (typeof from?.value === 'string') found.push(from.value);
    Object.values(node).forEach(visit);
  };
  visit(parse(text, { modern: true }));
  return found;
}

function importsOf(file, text) {
  const found = file.endsWith('.svelte')
    ? importsOfSvelte(text)
    : ts.preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
  const workers = text.matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g);
  return [...found, ...Array.from(workers, ([, name]) => name)].filter((name) => name.startsWith('.'));
}

/** The imports of each file, by paths within `src`; and those that lead nowhere. */
function graphOf(files) {
  const edges = new Map();
  const missing = [];
  for (const [file, text] of files) {
    if (!/\.(ts|svelte)$/.test(file)) continue;
    const targets = new Set();
    for (const name of importsOf(file, text)) {
      const base = path.join(path.dirname(file), name);
      const target = ENDINGS.map((ending) => base + ending).find((each) => files.has(each));
      if (target) targets.add(target);
      else missing.push(`${file} imports ${name}, which is not in src`);
    }
    edges.set(file, [...targets]);
  }
  return { edges, missing };
}

/** The line of `ROOMS` that a file stands on, and its room; null where it has none. */
function roomOf(file) {
  const rooms = ROOMS.flatMap((line, level) => Object.keys(line).map((room) => ({ room, level })));
  const fits = ({ room }) => (room === '' ? !file.includes('/') : file.startsWith(room));
  return rooms.filter(fits).toSorted((x, y) => y.room.length - x.room.length)[0] ?? null;
}

function misplaced(from, to) {
  for (const [room, allowed] of Object.entries(SET_APART))
    if (to.startsWith(room) && !from.startsWith(room))
      return allowed.test(from) ? null : `${room} is set apart`;
  const [mine, other] = [roomOf(from), roomOf(to)];
  if (!mine || !other || mine.room === other.room || other.level < mine.level) return null;
  return other.level === mine.level ? 'the rooms stand on one line' : 'that room stands further down';
}

/** One way around for each circle of imports. */
function circles(edges) {
  const found = [];
  const state = new Map();
  const visit = (file, trail) => {
    if (state.get(file) === 'open') found.push([...trail.slice(trail.indexOf(file)), file]);
    if (state.has(file)) return;
    state.set(file, 'open');
    for (const target of edges.get(file) ?? []) visit(target, [...trail, file]);
    state.set(file, 'done');
  };
  for (const file of edges.keys()) visit(file, []);
  return found;
}

function crowded(files) {
  const counts = new Map();
  for (const file of files.keys()) counts.set(path.dirname(file), (counts.get(path.dirname(file)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > MOST_FILES);
}

function tooLong(files) {
  const written = [...files].filter(([file]) => !GENERATED.test(file));
  return written
    .map(([file, text]) => [file, text.split('\n').length - Number(text.endsWith('\n'))])
    .filter(([, lines]) => lines > MOST_LINES);
}

/** What is wrong with a source tree, given as texts by their paths. */
export function violations(files) {
  const { edges, missing } = graphOf(files);
  const imports = [...edges].flatMap(([from, targets]) => targets.map((to) => [from, to]));
  return [
    ...missing,
    ...[...files.keys()].filter((file) => !roomOf(file)).map((file) => `${file} is in no room`),
    ...imports.flatMap(([from, to]) => {
      const reason = misplaced(from, to);
      return reason ? [`${from} imports ${to}: ${reason}`] : [];
    }),
    ...circles(edges).map((circle) => `a circle: ${circle.join(' -> ')}`),
    ...crowded(files).map(([folder, count]) => `${folder} holds ${count} files, more than ${MOST_FILES}`),
    ...tooLong(files).map(([file, lines]) => `${file} has ${lines} lines, more than ${MOST_LINES}`),
  ];
}

function read(root) {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = entries.map(({ parentPath, name }) => path.join(parentPath, name));
  return new Map(paths.map((each) => [path.relative(root, each), readFileSync(each, 'utf8')]));
}

const here = fileURLToPath(import.meta.url);
if (process.argv[1] === here) {
  const found = violations(read(path.join(path.dirname(here), 'src')));
  for (const each of found) console.error(each);
  process.exitCode = Number(found.length > 0);
}
