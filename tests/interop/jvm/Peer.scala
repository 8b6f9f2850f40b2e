package dev.cjfravel.ariadne.peer

import dev.cjfravel.ariadne._
import dev.cjfravel.ariadne.Index.DataFrameOps
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.functions._
import org.json4s._
import org.json4s.JsonDSL._
import org.json4s.jackson.JsonMethods._

/** Answers requests to the JVM library, one JSON object a line on standard input, one answer a line on
  * standard output (prefixed "> ", since Spark prints there too). Requests: {"op", "root", "index", ...}.
  */
object Peer {
  lazy val spark: SparkSession = SparkSession.builder().master("local[2]").appName("peer")
    .config("spark.ui.enabled", "false")
    .config("spark.sql.shuffle.partitions", "2")
    .config("spark.databricks.delta.snapshotPartitions", "2")
    .config("spark.sql.session.timeZone", "UTC")
    // By default Spark writes no days before 1582 and no times before 1900.
    .config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
    .config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")
    .config("spark.sql.extensions",
      "io.delta.sql.DeltaSparkSessionExtension,dev.cjfravel.ariadne.catalog.AriadneSparkExtension")
    .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
    .config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
    .getOrCreate()

  private def value(kind: String, text: JValue): Any = text match {
    case JNull => null
    case JString(s) => kind match {
      case "string" => s
      case "boolean" => s.toBoolean
      case "byte" => s.toByte
      case "short" => s.toShort
      case "integer" => s.toInt
      case "long" => s.toLong
      case "float" => s.toFloat
      case "double" => s.toDouble
      case "decimal" => new java.math.BigDecimal(s)
      case "date" => java.sql.Date.valueOf(s)
      // As a row of Spark's would hold it: before 1900 Java's own conversion shows another local time.
      case "timestamp" => DateTimeUtils.toJavaTimestamp(DateTimeUtils.instantToMicros(java.time.Instant.parse(s)))
      case "timestamp_ntz" => java.time.LocalDateTime.parse(s)
    }
    case other => sys.error(s"values are text or null, not $other")
  }

  private def rows(df: DataFrame): JValue = {
    val one = df.select(to_json(struct(col("*")), Map("ignoreNullFields" -> "false")).as("j"))
    JArray(one.collect().map(_.getString(0)).sorted.map(parse(_)).toList)
  }

  def answer(request: JValue): JValue = {
    implicit val formats: Formats = DefaultFormats
    implicit val session: SparkSession = spark
    def text(key: String) = (request \ key).extract[String]
    def texts(key: String) = (request \ key).extractOrElse[List[String]](Nil)
    (request \ "root").extractOpt[String].foreach(spark.conf.set("spark.ariadne.storagePath", _))
    (request \ "conf") match {
      case JObject(fields) => fields.foreach { case (k, v) => spark.conf.set(s"spark.ariadne.$k", v.extract[String]) }
      case _ =>
    }
    (request \ "timeZone").extractOpt[String].foreach { zone =>
      java.util.TimeZone.setDefault(java.util.TimeZone.getTimeZone(zone))
      spark.conf.set("spark.sql.session.timeZone", zone)
    }
    def index = Index(text("index"))
    text("op") match {
      case "locate" =>
        val probe = (request \ "probe").asInstanceOf[JObject].obj.map { case (column, p) =>
          val JArray(values) = p \ "values"
          column -> values.map(value((p \ "type").extract[String], _)).toArray[Any]
        }.toMap
        index.locateFiles(probe).toList.sorted.map(JString(_))
      case "join" =>
        val keys = spark.read.parquet(text("keys"))
        val on = texts("on")
        val lake = if (texts("select").nonEmpty) index.select(texts("select"): _*) else index
        val how = text("how")
        val joined = if ((request \ "keysLeft").extractOrElse(false)) new DataFrameOps(keys).join(lake, on, how)
                     else lake.join(keys, on, how)
        (request \ "answer").extractOpt[String] match {
          case Some("count") => JInt(joined.count())
          case Some("collect") => JInt(joined.collect().length)
          case _ => rows(joined)
        }
      case "create" =>
        val made = Index(text("index"), spark.read.parquet(text("schemaFrom")).schema, "parquet")
        texts("regular").foreach(made.addIndex(_))
        texts("bloom").foreach(made.addBloomIndex(_))
        texts("range").foreach(made.addRangeIndex(_))
        (request \ "computed").extractOrElse[Map[String, String]](Map.empty).toSeq.sorted
          .foreach { case (name, expression) => made.addComputedIndex(name, expression) }
        (request \ "temporal").extractOrElse[Map[String, String]](Map.empty)
          .foreach { case (column, timestamp) => made.addTemporalIndex(column, timestamp) }
        (request \ "exploded").extractOrElse[List[List[String]]](Nil)
          .foreach { case List(array, path, name) => made.addExplodedFieldIndex(array, path, name) }
        JString("ok")
      case "addFiles" => index.addFile(texts("files"): _*); JString("ok")
      case "update" => index.update; JString("ok")
      case "unindexed" => index.unindexedFiles.toList.sorted.map(JString(_))
      case "stats" => rows(index.stats())
      case "compact" => index.compact(); JString("ok")
      case "vacuum" => index.vacuum((request \ "hours").extract[Int]); JString("ok")
      case "delete" => index.deleteFiles(texts("files"): _*); JString("ok")
      case "list" => IndexCatalog.list().toList.map(JString(_))
      case "exists" => JBool(IndexCatalog.exists(text("index")))
      case "readParquet" => rows(spark.read.parquet(texts("files"): _*))
      case "readDelta" => rows(spark.read.format("delta").load(text("path")))
    }
  }

  def main(args: Array[String]): Unit = {
    spark.sparkContext.setLogLevel("ERROR")
    println("> \"ready\"")
    for (line <- scala.io.Source.stdin.getLines()) {
      val reply: JObject =
        try JObject("result" -> answer(parse(line)))
        catch {
          case e: Throwable => ("error" -> e.getClass.getName) ~ ("message" -> Option(e.getMessage).getOrElse(""))
        }
      println("> " + compact(render(reply)))
      System.out.flush()
    }
    spark.stop()
  }
}
