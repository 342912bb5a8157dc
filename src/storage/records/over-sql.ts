import type { Sql, SqlValue } from "../sql.ts";

/** Records of one domain over a connection or a transaction of either database. */
export abstract class OverSql {
  protected readonly sql: Sql;

  constructor(sql: Sql) {
    this.sql = sql;
  }

  /** Runs a statement about one row; false when there was none that fits. */
  protected async changesOne(statement: string, values: readonly SqlValue[]): Promise<boolean> {
    return (await this.sql.run(statement, values)) === 1;
  }
}
