import org.apache.spark.sql.SparkSession

/** Writes data/delta_lakes.tar.gz: Delta tables with column mapping, partitions and deletion vectors, of Spark 3.5 and
  * Delta 3.2, and their rows as Spark reads them. Compile and run with the jars of tests/interop/jvm/peer.sh: DeltaLakes FOLDER
  */
object DeltaLakes {
  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder().master("local[1]").appName("lakes")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.shuffle.partitions", "1")
      .config("spark.databricks.delta.snapshotPartitions", "1")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
      .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
      .getOrCreate()
    val columns = "id BIGINT, name STRING, pair STRUCT<a: INT, b: STRING>, tags ARRAY<STRUCT<q: STRING>>"
    def rows(from: Int, to: Int) = spark.sql(
      s"""SELECT id, IF(id % 7 = 0, NULL, concat('n', id % 5)) AS name,
         |IF(id % 5 = 0, NULL, named_struct('a', CAST(id % 3 AS INT), 'b', concat('b', id))) AS pair,
         |IF(id % 4 = 0, array(), array(named_struct('q', concat('t', id % 6)))) AS tags
         |FROM range($from, $to)""".stripMargin).coalesce(1)
    for (mode <- Seq("none", "name", "id")) {
      val path = s"${args(0)}/$mode"
      val t = s"delta.`$path`"
      spark.sql(s"CREATE TABLE $t ($columns) USING delta TBLPROPERTIES ('delta.columnMapping.mode' = '$mode', " +
        "'delta.enableDeletionVectors' = 'true', 'delta.minReaderVersion' = '3', 'delta.minWriterVersion' = '7')")
      rows(0, 40).write.format("delta").mode("append").save(path)
      rows(40, 60).write.format("delta").mode("append").save(path)
      spark.sql(s"DELETE FROM $t WHERE id % 10 = 3")
      spark.sql(s"UPDATE $t SET name = 'changed' WHERE id % 10 = 4")
      if (mode != "none") {
        spark.sql(s"ALTER TABLE $t RENAME COLUMN name TO called")
        spark.sql(s"ALTER TABLE $t ADD COLUMN name STRING")
        spark.sql(s"ALTER TABLE $t RENAME COLUMN pair.a TO c")
        rows(60, 70).withColumnRenamed("name", "called").selectExpr("id", "called",
          "named_struct('c', pair.a, 'b', pair.b) AS pair", "tags", "'new' AS name").coalesce(1)
          .write.format("delta").mode("append").save(path)
        spark.sql(s"DELETE FROM $t WHERE id IN (1, 45, 65)")
      }
      spark.read.format("delta").load(path).orderBy("id").coalesce(1).write.mode("overwrite").json(s"${args(0)}/$mode-rows")
    }
    // Of these no folder tells the partition: mapped columns or not.
    for (mode <- Seq("none", "name", "id")) {
      val path = s"${args(0)}/parts-$mode"
      val t = s"delta.`$path`"
      val typed = "id BIGINT, day DATE, `kind` STRING, at TIMESTAMP, size DECIMAL(6,2), ok BOOLEAN, n INT"
      spark.sql(s"CREATE TABLE $t ($typed) USING delta PARTITIONED BY (day, `kind`, at, size, ok) TBLPROPERTIES (" +
        s"'delta.columnMapping.mode' = '$mode', 'delta.enableDeletionVectors' = 'true', " +
        "'delta.randomizeFilePrefixes' = 'true', 'delta.minReaderVersion' = '3', 'delta.minWriterVersion' = '7')")
      def parts(from: Int, to: Int) = spark.sql(
        s"""SELECT id, IF(id % 6 = 0, NULL, date_add(DATE'2024-02-28', CAST(id % 3 AS INT))) AS day,
           |IF(id % 6 = 1, NULL, element_at(array('a/b %41=ü', '', 'x'), CAST(id % 3 AS INT) + 1)) AS `kind`,
           |TIMESTAMP'1899-12-31 23:59:59.000001' + make_interval(0, 0, 0, CAST(id % 2 AS INT)) AS at,
           |CAST(id % 3 - 1.5 AS DECIMAL(6,2)) AS size, IF(id % 6 = 2, NULL, id % 2 = 0) AS ok, CAST(id % 7 AS INT) AS n
           |FROM range($from, $to)""".stripMargin).coalesce(1)
      parts(0, 40).write.format("delta").mode("append").save(path)
      spark.sql(s"DELETE FROM $t WHERE id % 10 = 3")
      spark.sql(s"UPDATE $t SET `kind` = 'moved' WHERE id % 10 = 4")
      if (mode != "none") {
        spark.sql(s"ALTER TABLE $t RENAME COLUMN `kind` TO `a kind`")
        spark.sql(s"ALTER TABLE $t RENAME COLUMN n TO `kind`")
      }
      spark.read.format("delta").load(path).orderBy("id").coalesce(1).write.mode("overwrite").json(s"${args(0)}/parts-$mode-rows")
    }
  }
}
