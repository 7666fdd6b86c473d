import { Stage } from './stage.ts';
import { WorkerProcess } from './worker-process.ts';

/** The job on this machine: each worker is a process of its own. */
export class LocalStage extends Stage<WorkerProcess> {
  async successor(): Promise<WorkerProcess> {
    return this.start();
  }

  protected create(): WorkerProcess {
    return new WorkerProcess(this.environment);
  }

  protected async leave(): Promise<void> {
    await Promise.all([...this.workers, ...this.forkWorkers].map((worker) => worker.kill()));
  }
}
