/** How objects stand to Flux and to Argo CD, asked of a Go program with their own libraries: `test/health`. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { KINDS, GROUP } from '@retainer/contract/api/names';
import { sha256Hex } from '@retainer/contract/std/hash';
import { repositoryRoot } from './repository-files.ts';

const SOURCES = join(repositoryRoot, 'test/health');
/** Answers of a whole cluster's objects. */
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

interface Health {
  readonly status: string;
  readonly message: string;
}

export interface ObjectHealth {
  readonly kstatus: Health;
  readonly argo: Health;
}

/** @param objects  with apiVersion and kind, as an API server shows them */
export function healthOf(objects: readonly object[]): readonly ObjectHealth[] {
  const input = JSON.stringify({ scripts: healthScripts(), objects });
  const output = execFileSync(program(), { input, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX });
  return JSON.parse(output) as readonly ObjectHealth[];
}

/** The scripts that docs/git.md tells people to give to Argo CD, by kind. */
function healthScripts(): Readonly<Record<string, string>> {
  const page = readFileSync(join(repositoryRoot, 'docs/git.md'), 'utf8');
  const [, text = ''] = /```yaml\n(apiVersion: v1\nkind: ConfigMap\n[^`]*)```/.exec(page) ?? [];
  const data = parseDocument(text).get('data');
  if (!isMap(data)) throw new Error('docs/git.md has no ConfigMap with health scripts');
  const scripts = KINDS.map((kind) => {
    const script = data.get(`resource.customizations.health.${GROUP}_${kind}`, true);
    if (!isScalar(script)) throw new Error(`docs/git.md has no health script of ${kind}`);
    return [kind, String(script.value)] as const;
  });
  return Object.fromEntries(scripts);
}

/** Builds it once for these sources: half a minute on two cores, or less where Kubernetes was built before. */
function program(): string {
  const sources = readdirSync(SOURCES).toSorted();
  const digest = sha256Hex(sources.map((file) => readFileSync(join(SOURCES, file), 'utf8')).join('\n')).slice(0, 16);
  const directory = join(homedir(), '.cache/retainer-cluster', `health-${digest}`);
  const built = join(directory, 'health');
  if (existsSync(built)) return built;
  mkdirSync(directory, { recursive: true });
  const fresh = `${built}.${process.pid}`;
  const env = { ...process.env, CGO_ENABLED: '0' };
  execFileSync('go', ['build', '-trimpath', '-o', fresh, '.'], { cwd: SOURCES, env, stdio: 'inherit' });
  renameSync(fresh, built);
  return built;
}
