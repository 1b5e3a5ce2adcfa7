import { DEFAULT_PORT } from './config.ts';
import { runProgram } from './program.ts';

runProgram(['gateway'], DEFAULT_PORT + 1);
