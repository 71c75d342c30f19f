/**
 * `npm run bench:smoke`: every benchmark once, so small that it takes seconds; `npm run bench:smoke -- run git`: the named ones.
 *
 * It shows that each still runs to its end. Figures of such a run say little.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, say, stop } from './prepare.mjs';
import { runNode } from './run-child.mjs';

/** What a benchmark may need beyond this repository: whether it is here, and what is said when it is not. */
const needs = {
  cluster: {
    isHere: () =>
      existsSync(join(process.env['CLUSTER_STATE'] ?? '/var/lib/retainer-cluster', 'admin-inside.kubeconfig')),
    fix: 'there is no cluster with Retainer on it: npm run dev:cluster',
  },
  'control plane': {
    isHere: () => process.env['RETAINER_BENCH_CONTROL_PLANE'] === '1',
    fix: 'it starts a control plane of its own, which takes minutes: RETAINER_BENCH_CONTROL_PLANE=1 allows it, as root on Linux',
  },
  replay: {
    isHere: () => existsSync(join(root, '../shared/data/gate/agentdojo-replay.json')),
    fix: 'the recorded calls are not beside the repository: docs/gates-reference.md, AgentDojo without a model',
  },
};

const benches = [
  { name: 'gate', script: 'bench:gate' },
  { name: 'gate-text', script: 'bench:gate-text' },
  { name: 'git', script: 'bench:git' },
  { name: 'jobs', script: 'bench:jobs' },
  { name: 'mail', script: 'bench:mail' },
  { name: 'journal', script: 'bench:journal' },
  { name: 'chaos', script: 'chaos:journal' },
  { name: 'cycle', script: 'bench:cycle' },
  { name: 'run', script: 'bench:run' },
  { name: 'cost', script: 'bench:cost' },
  { name: 'steering', script: 'bench:steering' },
  { name: 'curate', script: 'bench:curate' },
  { name: 'memory', script: 'bench:memory' },
  { name: 'audit', script: 'bench:audit' },
  { name: 'record-size', script: 'bench:record-size' },
  { name: 'file-labels', script: 'bench:file-labels' },
  { name: 'agentdojo', script: 'bench:agentdojo', need: 'replay' },
  { name: 'worst-case', script: 'worst-case' },
  { name: 'node', script: 'bench:node', need: 'cluster' },
  { name: 'operator', script: 'bench:operator', need: 'control plane' },
];

/** Set by npm. */
const npm = process.env['npm_execpath'] ?? stop('npm must start this', 'npm run bench:smoke');

const names = process.argv.slice(2);
const unknown = names.filter((name) => benches.every((bench) => bench.name !== name));
if (unknown.length > 0)
  stop(`no benchmark ${unknown.join(', ')}: there are ${benches.map(({ name }) => name).join(', ')}`);
const wanted = names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));

process.env['RETAINER_BENCH_SIZE'] = 'smoke';
const failed = [];
let passed = 0;
for (const { name, script, need } of wanted) {
  if (need !== undefined && !needs[need].isHere()) {
    say(`${name}: skipped: ${needs[need].fix}`);
    continue;
  }
  const startedMs = performance.now();
  say(`${name}: npm run ${script}`);
  const code = await runNode([npm, 'run', '--silent', script]);
  // A signal to this program is one to all of them.
  if (code > 128) process.exit(code);
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  say(`${name}: ${code === 0 ? 'passed' : `failed with ${code}`} after ${seconds} s`);
  if (code === 0) passed += 1;
  else failed.push(name);
}
if (failed.length > 0) say(`failed: ${failed.join(', ')}`);
console.log(`${passed} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
