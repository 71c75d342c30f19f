/**
 * Does the steps of a work in a real workspace with the real tools, and notes what each of them says and leaves behind. So no
 * digest, list of files or output of a corpus is typed by hand.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createRegistry } from '../../../agent-pod/src/parts/catalog.ts';
import type { SandboxRequest, SandboxResult } from '@retainer/agent-pod/ports/sandbox-run';
import { toolWorld, type ToolWorld } from '../tool-world.ts';
import { changesSince, contentsOf } from '../workspace-changes.ts';
import type { Step, Story, Work } from './final-state.ts';

const LANGUAGES = ['bash', 'javascript', 'python'] as const;
const INTERPRETERS: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash', '-c'],
  javascript: ['node', '-e'],
  python: ['python3', '-c'],
};

/** The same wherever it runs: neither a time zone nor a locale of the machine shows. */
const ENVIRONMENT = { TZ: 'UTC', LC_ALL: 'C.UTF-8', HOME: '/tmp', PATH: process.env['PATH'] };
/** Of every file that stood there: 5 March 2024, 14:30. */
const STOOD_SECONDS = Date.UTC(2024, 2, 5, 14, 30) / 1000;

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

function ran(workspace: string, language: string, script: string): Ended {
  const [command = 'bash', ...rest] = INTERPRETERS[language] ?? [];
  const { stdout, stderr, status } = spawnSync(command, [...rest, script], {
    cwd: workspace,
    env: ENVIRONMENT,
    encoding: 'utf8',
  });
  const shown = (text: string): string => text.replaceAll(workspace, '/workspace');
  return { stdout: shown(stdout), stderr: shown(stderr), exitCode: status ?? 1 };
}

function worldOf(stood: Work['stood']): ToolWorld {
  const script = ({ language, script: text }: SandboxRequest): Promise<Partial<SandboxResult>> => {
    const before = contentsOf(world.workspace);
    const ended = ran(world.workspace, language, text);
    return Promise.resolve({ ...ended, changes: changesSince(world.workspace, before) });
  };
  const world = toolWorld({ registry: createRegistry({ sandboxLanguages: [...LANGUAGES] }), script });
  for (const [name, content] of Object.entries(stood)) {
    const place = path.join(world.workspace, name);
    mkdirSync(path.dirname(place), { recursive: true });
    writeFileSync(place, content);
    utimesSync(place, STOOD_SECONDS, STOOD_SECONDS);
  }
  return world;
}

/** Of a workspace whose files are all trusted, or named by the Task: nothing is hidden from a program. */
const HIDDEN_NOTE = /\n\[\d+ files that are neither trusted, nor named by the Task[^\n]*\]/;

/** What a sandbox lists as gone is no part of a tool's outcome; the record has it elsewhere. */
async function done(world: ToolWorld, step: Step, number: number): Promise<Step> {
  const { tool, input, isTold } = step;
  if (isTold === true) return step;
  const before = contentsOf(world.workspace);
  const permit = world.permit(tool, input, { callId: `call-${number}` });
  const { status, exitCode, text, files } = await world.executor.execute(permit, new AbortController().signal);
  const { gone } = changesSince(world.workspace, before);
  return {
    tool,
    input,
    ...(status === 'Ok' ? {} : { status: status as 'Error' }),
    ...(exitCode === undefined ? {} : { exitCode }),
    output: text.replace(HIDDEN_NOTE, ''),
    ...(files.length === 0 ? {} : { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }),
    ...(gone.length === 0 ? {} : { gone: gone.toSorted() }),
  };
}

export interface Recorded {
  readonly story: Story;
  /** Whether what was claimed is so at the end, as a script of the work's writer tells. */
  readonly holds: boolean | undefined;
}

export async function recordStory({ stood, holds }: Work, story: Story): Promise<Recorded> {
  const world = worldOf(stood);
  const attempts: Story['attempts'][number][] = [];
  let number = 0;
  for (const { did, cutOff } of story.attempts) {
    const steps: Step[] = [];
    for (const step of did) steps.push(await done(world, step, (number += 1)));
    attempts.push({ did: steps, ...(cutOff === undefined ? {} : { cutOff }) });
  }
  const isSo = holds === undefined ? undefined : ran(world.workspace, 'bash', holds).exitCode === 0;
  return { story: { ...story, attempts }, holds: isSo };
}
