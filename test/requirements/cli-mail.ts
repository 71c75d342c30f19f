import type { Requirements } from './requirement.ts';

export const cliMailRequirements = {
  'springdrift 10; reliability-security 5; design 1, 7': {
    'cli-mail:told':
      'retainer mail lists letters and mails, newest last, each with who wrote, how that is known, what became of it, its thread and its run; show tells one in full, with the words of its sender and, apart from them, all that came with it; an unknown id is named with what there is.',
    'cli-mail:held':
      'retainer mail held lists each letter that waits for a person, with the reason in words and the rule, and what may be typed.',
    'cli-mail:harmless':
      'Nothing that others wrote in a letter steers a terminal, turns a text around, is a link, or looks like a line of ours; an address with a sign of another alphabet shows it as a number.',
    'cli-mail:release':
      'A person releases a held letter by a durable command with who and why; a letter that is not held is refused in a sentence, and nothing is left; the help says that its words stay those of a stranger.',
    'cli-mail:explained':
      'The story of a run of a letter shows the letter, who wrote it and how that is known, what it answers, and the fate of each mail that the run sent.',
    'cli-mail:accountable':
      'In the accountability map, every effect of a run of a letter is wanted by its letter and the sender of that; a letter that the record lacks, or that nobody let in, is a finding.',
    'cli-mail:check':
      'retainer mail check tries name resolution, TLS, login and IDLE of the server for incoming mail, TLS and login of the server for outgoing mail, and the look-ups that DKIM needs; each is one line, and each fault names its fix; no password is printed.',
    'cli-mail:on-cluster':
      'On a cluster, letters are read and released beside the agent with the right to run programs there, and its servers are tried by a program that reads settings and Secrets and no record.',
    'cli-mail:state':
      'The state that an agent is told counts letters that are unread, held and unanswered, and has no such section where no mailbox was read.',
    'cli-mail:day':
      'A letter of a known sender is one run and one threaded reply; a letter of a stranger begins nothing and is listed as held; a follow-up days later goes on in its thread.',
  },
} satisfies Requirements;
