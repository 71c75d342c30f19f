/** A copy of the sources of the programs, in which a test may change files, build and run. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from './repository-files.ts';

const copied = ['contract', 'packages', 'agent-pod', 'sandbox-runner', 'operator', 'cli', 'scripts', 'manifests'];

export class TreeCopy {
  readonly path: string;

  /** @param path  of an empty directory */
  constructor(path: string) {
    this.path = path;
    for (const name of [...copied, 'package.json', 'tsconfig.json', 'tsconfig.base.json'])
      cpSync(join(repositoryRoot, name), join(path, name), {
        recursive: true,
        filter: (from) => !from.endsWith('/node_modules'),
      });
    this.#linkLibraries();
  }

  /** Libraries are those of the repository, our own packages those of the copy. */
  #linkLibraries(): void {
    const from = join(repositoryRoot, 'node_modules');
    const to = join(this.path, 'node_modules');
    mkdirSync(join(to, '@retainer'), { recursive: true });
    for (const name of readdirSync(from)) if (name !== '@retainer') symlinkSync(join(from, name), join(to, name));
    const own = { contract: 'contract', mind: 'packages/mind', journal: 'packages/journal', kube: 'packages/kube' };
    const programs = { operator: 'operator', 'agent-pod': 'agent-pod', 'sandbox-runner': 'sandbox-runner', cli: 'cli' };
    for (const [name, directory] of Object.entries({ ...own, ...programs }))
      symlinkSync(join(this.path, directory), join(to, '@retainer', name));
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), text);
  }

  remove(path: string): void {
    rmSync(join(this.path, path), { recursive: true });
  }

  read(file: string): string {
    return readFileSync(join(this.path, file), 'utf8');
  }

  /** Puts a module and its name into a list of parts: one import, one line. */
  list(file: string, name: string, module: string): void {
    const text = this.read(file);
    const withImport = text.replace('\nimport ', `\nimport { ${name} } from '${module}';\nimport `);
    this.write(
      file,
      withImport.replace(/\n\](?: as const)?;/, (end) => `\n  ${name},${end}`),
    );
  }

  /** Takes a line of a list of parts out again, with its import. */
  unlist(file: string, name: string): void {
    const lines = this.read(file).split('\n');
    this.write(
      file,
      lines.filter((line) => line !== `  ${name},` && !line.startsWith(`import { ${name} }`)).join('\n'),
    );
  }

  /** Runs a program in the copy to its end. @returns exit code, or undefined when it was killed; and its output */
  run(program: string, ...args: readonly string[]): { readonly code: number | undefined; readonly output: string } {
    const env = { ...process.env, ANTHROPIC_API_KEY: '', ANTHROPIC_BASE_URL: '', NO_COLOR: '1' };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: this.path, env, encoding: 'utf8' });
    return { code: status ?? undefined, output: `${stdout}${stderr}` };
  }

  /** Makes what is generated of parts, and builds the command line with all that it needs. */
  build(): { readonly code: number | undefined; readonly output: string } {
    const generated = this.run('npx', 'tsx', '--conditions=source', 'scripts/part-fields.ts');
    return generated.code === 0 ? this.run('npx', 'tsc', '-b', 'cli') : generated;
  }
}
