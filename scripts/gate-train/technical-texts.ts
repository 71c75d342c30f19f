/**
 * Harmless technical texts: manuals in many languages, change logs, read-mes, code, messages of programs and data, of packages that
 * are installed on the machine.
 *
 * The same packages in the same versions give the same texts: what is taken is chosen by the digest of its place.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sha256Hex } from '@retainer/contract/std/hash';
import { repositoryRoot } from '../../test/support/repository-files.ts';
import type { Sample } from './sample.ts';

/** As long as what the gate's figures are measured on. */
const TEXT_CHARACTERS = 4096;
/** A shorter rest of a file is no text. */
const TEXT_CHARACTERS_MIN = 200;
/** Pieces of one file: a manual does not outweigh a package. */
const PIECES_OF_FILE_MAX = 6;
const FILE_BYTES_MAX = 2_000_000;

/** Packages of Debian, and how many texts are taken of each. */
const debianPackages: Readonly<Record<string, number>> = {
  apt: 70,
  bash: 20,
  coreutils: 30,
  debconf: 20,
  dpkg: 60,
  'dpkg-dev': 90,
  git: 120,
  'git-man': 50,
  'google-cloud-cli': 100,
  'libpython3.11-stdlib': 90,
  login: 40,
  'man-db': 110,
  manpages: 40,
  'manpages-dev': 60,
  'openssh-client': 15,
  openssl: 40,
  passwd: 110,
  'perl-modules-5.36': 120,
  procps: 60,
  psmisc: 40,
  'python3-pip': 40,
  'python3-setuptools': 30,
  systemd: 60,
  'util-linux': 30,
  'vim-runtime': 140,
};

/** Packages of this repository's lock file with texts of their own. */
const NODE_TEXTS_PER_PACKAGE = 8;

const READABLE =
  /\.(?:md|txt|json|ya?ml|m?[jt]s|py|pm|pod|html?|vim|conf|service|sh|mo|\d(?:\.gz)?)$|(?:README|NEWS|TO[D]O|HISTORY|CHANGES|changelog)[^/]*$/i;

export interface TechnicalTexts {
  readonly samples: readonly Sample[];
  /** `name version`, in the order of their names. */
  readonly packages: readonly string[];
}

export function technicalTexts(): TechnicalTexts {
  const found = [...debianTexts(), ...nodeTexts()];
  return { samples: found.flatMap(({ samples }) => samples), packages: found.map(({ name }) => name) };
}

interface PackageTexts {
  readonly name: string;
  readonly samples: readonly Sample[];
}

function debianTexts(): readonly PackageTexts[] {
  const status = readFileSync('/var/lib/dpkg/status', 'utf8').split('\n\n');
  return Object.entries(debianPackages).map(([name, count]) => {
    const entry = status.find((it) => it.startsWith(`Package: ${name}\n`)) ?? '';
    const version = /^Version: (.+)$/m.exec(entry)?.[1];
    const list = [`${name}.list`, `${name}:amd64.list`]
      .map((file) => join('/var/lib/dpkg/info', file))
      .find((file) => existsSync(file));
    if (version === undefined || list === undefined) throw new Error(`package ${name} is not installed`);
    const files = readFileSync(list, 'utf8').trim().split('\n');
    return { name: `${name} ${version}`, samples: chosen(`debian:${name}`, files, count) };
  });
}

function nodeTexts(): readonly PackageTexts[] {
  const root = join(repositoryRoot, 'node_modules');
  return packageFolders(root).flatMap((name) => {
    const folder = join(root, name);
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
    const files = filesIn(folder, '').map((file) => join(folder, file));
    const samples = chosen(`npm:${name}`, files, NODE_TEXTS_PER_PACKAGE);
    return samples.length === 0 ? [] : [{ name: `${name}@${version}`, samples }];
  });
}

/** Those that are folders of their own: a link leads into this repository. */
function packageFolders(root: string): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => (name.startsWith('@') ? readdirSync(join(root, name)).map((it) => `${name}/${it}`) : [name]))
    .filter((name) => !name.startsWith('@retainer/') && existsSync(join(root, name, 'package.json')))
    .toSorted();
}

function filesIn(folder: string, under: string): readonly string[] {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((entry) => {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(folder, path);
    return entry.isFile() ? [path] : [];
  });
}

/** Of all pieces of these files the ones whose place has the lowest digests. */
function chosen(source: string, files: readonly string[], count: number): readonly Sample[] {
  const byDigest = files
    .filter((file) => READABLE.test(file))
    .map((file) => ({ file, digest: sha256Hex(`${source} ${file.replace(`${repositoryRoot}/`, '')}`) }))
    .toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
  const samples: Sample[] = [];
  for (const { file } of byDigest) {
    if (samples.length >= count) break;
    samples.push(...piecesOf(file).map((text) => ({ set: 'technical', source, text, isAttack: false })));
  }
  return samples.slice(0, count);
}

function piecesOf(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  const about = statSync(file);
  if (!about.isFile() || about.size > FILE_BYTES_MAX) return [];
  const bytes = readFileSync(file);
  const text = file.endsWith('.mo') ? messagesIn(bytes) : (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  if (text.includes('\0') || text.includes('\ufffd')) return [];
  const plain = /\/man\/.*\.gz$/.test(file) ? withoutMacros(text) : text;
  const pieces: string[] = [];
  for (let at = 0; at < plain.length && pieces.length < PIECES_OF_FILE_MAX; at += TEXT_CHARACTERS)
    pieces.push(plain.slice(at, at + TEXT_CHARACTERS));
  return pieces.filter((piece) => piece.length >= TEXT_CHARACTERS_MIN);
}

/** As a reader of the manual sees it, nearly. */
function withoutMacros(text: string): string {
  return text
    .replaceAll(/^[.'](?:\\"|[A-Z]{2}\b|[a-z]{2}\b|[A-Z]\b)?/gm, '')
    .replaceAll(/\\f[BIRP]|\\&/g, '')
    .replaceAll('\\-', '-');
}

const COUNT_AT = 8;
const TRANSLATIONS_AT = 16;
const ENTRY_BYTES = 8;

/** @returns one message a line; the first is the catalogue's own header and is left out */
function messagesIn(bytes: Buffer): string {
  const count = bytes.readUInt32LE(COUNT_AT);
  const table = bytes.readUInt32LE(TRANSLATIONS_AT);
  return Array.from({ length: count }, (_, index) => {
    const entry = table + index * ENTRY_BYTES;
    const start = bytes.readUInt32LE(entry + 4);
    return bytes.toString('utf8', start, start + bytes.readUInt32LE(entry)).replaceAll('\0', '\n');
  })
    .slice(1)
    .join('\n');
}
