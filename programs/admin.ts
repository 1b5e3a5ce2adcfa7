import { runAdmin } from './parts/admin.ts';

void runAdmin(process.argv.slice(2));
