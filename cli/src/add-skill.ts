/** Declares `retainer skill` on the command line: its arguments and its help. */
import type { Command } from 'commander';
import { examples, type Finish } from './command-options.ts';
import type { SkillFlags } from './commands/skill.ts';

export function addSkill(program: Command, finish: Finish): void {
  const skill = program.command('skill').description('procedures that agents may follow');
  skill
    .command('add')
    .argument('<path>', 'a SKILL.md as published, or the directory that holds one')
    .description('print the manifest of a skill, to apply or to keep')
    .option('--name <name>', 'its name (default: that of its front matter)')
    .option('-n, --namespace <namespace>', 'namespace of the manifest (default: none)')
    .option('--skill-version <version>', 'its version (default: that of its front matter, or 1.0.0)')
    .addHelpText(
      'after',
      `
The manifest goes to standard output; what a Skill has no place for is told on standard error.
${examples(['retainer skill add pdf-tools/ | kubectl apply -n team -f -', 'retainer skill add SKILL.md > manifests/pdf.yaml'])}`,
    )
    .action(async (path: string, flags: SkillFlags) => {
      const { skillAddCommand } = await import('./commands/skill.ts');
      finish(await skillAddCommand(path, flags));
    });
}
