/**
 * How a program of an agent starts in a sandbox, on one machine and in a pod alike: its environment and its interpreter's
 * options. Pure.
 *
 * I1  No file of the workspace runs unless the program names it. A stranger may have written `sitecustomize.py`, `random.py`, a
 *     git hook or an `.npmrc`, and the next clean Task would run it.
 *
 * Source: reliability-security 4 (untrusted data becomes no code).
 */

export type ProgramLanguage = 'Bash' | 'JavaScript' | 'Python';

export interface ProgramPlace {
  /** Also the home. Empty at the start, so no profile or configuration of a user is in it. */
  readonly tmpDirectory: string;
  readonly path: string;
}

/** Settings that git takes before those of a repository. */
const GIT_SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
];

/** Besides these, a program gets no variable but a proxy's. */
export function programEnvironment({ tmpDirectory, path }: ProgramPlace): Record<string, string> {
  return {
    PATH: path,
    HOME: tmpDirectory,
    TMPDIR: tmpDirectory,
    LANG: 'C.UTF-8',
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONNOUSERSITE: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: String(GIT_SETTINGS.length),
    ...Object.fromEntries(
      GIT_SETTINGS.flatMap(([key, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, key],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
    npm_config_ignore_scripts: 'true',
    // Not the user's as well, which is in the empty home: npm does not start if both are one file.
    npm_config_globalconfig: '/dev/null',
  };
}

/**
 * Python without the paths of its environment, of the user and of the script. The workspace comes last, so that its modules can
 * be imported and none of them stands in for a module of Python; `site` is through by then.
 */
function pythonLauncher(workDirectory: string, script: string): string {
  return [
    "s=__import__('sys')",
    `s.path.append(${JSON.stringify(workDirectory)})`,
    `s.argv[:]=[${JSON.stringify(script)}]`,
    'del s',
    `__file__=${JSON.stringify(script)}`,
    "exec(compile(open(__file__,'rb').read(),__file__,'exec'))",
  ].join(';');
}

/** Arguments of the interpreter that run `script`. */
export function interpreterArguments(
  language: ProgramLanguage,
  script: string,
  workDirectory: string,
): readonly string[] {
  switch (language) {
    case 'Bash':
      return ['--noprofile', '--norc', script];
    case 'JavaScript':
      return [script];
    case 'Python':
      return ['-I', '-B', '-c', pythonLauncher(workDirectory, script)];
  }
}

/** Beside a script of Node, as a link to the workspace's: Node looks for packages there after its own modules. */
export const PACKAGES_DIRECTORY = 'node_modules';
