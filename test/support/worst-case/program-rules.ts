/** The rules of `rules.ts` for programs: what they see, and how they start. */
import { inFile, type Rule } from './rule.ts';

const start = inFile('contract/src/wire/program-start.ts');

export const PROGRAM_RULES: readonly Rule[] = [
  {
    name: 'programs see trusted files alone',
    change: inFile('agent-pod/src/tools/program-view.ts')(
      "if (label.trust !== 'Trusted' && !isNamed && !isWanted) return true;",
      "if (label.trust !== 'Trusted' && !isNamed && isWanted === undefined) return true;",
    ),
    attacks: ['planted-code/module by Web'],
  },
  {
    name: 'programs start: Python without the workspace',
    change: start(
      "['-I', '-B', '-c', pythonLauncher(workDirectory, script)]",
      "['-c', pythonLauncher(workDirectory, script)]",
    ),
    coveredBy: ['programs see trusted files alone'],
    attacks: ['planted-code/own-random by Web'],
  },
  {
    name: 'programs start: no paths for Python',
    change: start("PYTHONNOUSERSITE: '1',", "PYTHONPATH: '/workspace',"),
    coveredBy: ['programs start: Python without the workspace', 'programs see trusted files alone'],
    attacks: ['planted-code/start-of-python by Web'],
  },
  {
    name: 'programs start: git without hooks',
    change: start("['core.hooksPath', '/dev/null'],", ''),
    coveredBy: ['programs see trusted files alone'],
    attacks: ['planted-code/git-hook by Web'],
  },
  {
    name: 'programs start: npm without scripts',
    change: start("npm_config_ignore_scripts: 'true',", ''),
    coveredBy: ['programs see trusted files alone'],
    attacks: ['planted-code/package-script by Web'],
  },
  {
    name: 'programs start: shells without a profile',
    change: start('    HOME: tmpDirectory,', "    HOME: '/workspace',"),
    coveredBy: ['programs see trusted files alone'],
    attacks: ['planted-code/profile by Web'],
  },
];
