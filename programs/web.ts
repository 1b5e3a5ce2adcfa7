import { DEFAULT_PORT } from './config.ts';
import { runProgram } from './program.ts';

runProgram(['web'], DEFAULT_PORT);
