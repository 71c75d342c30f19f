/** The command line from its sources, as a process of its own: started by `test/e2e/doctor.test.ts`. */
import { main } from '../../cli/src/main.ts';

process.exitCode = await main(process.argv);
