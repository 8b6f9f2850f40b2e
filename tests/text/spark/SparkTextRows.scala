// Reads CSV and JSON files with Spark and writes its rows, one JSON object a line.
//   SparkTextRows CASES OUT
// CASES, one a line: {"name", "format", "options", "schema" (DDL), "suffix", "bytes" (base64)}
//   or, for the schema that Spark infers, without "schema" and with "files" [base64] for "bytes".
// OUT: the case and "rows" or "inferred", or "fails": true where Spark throws. Values: integers, dates (days) and
// timestamps (microseconds) as JSON numbers, doubles and floats as the hexadecimal of their bits,
// decimals as text, binary as hexadecimal; arrays and structs as JSON arrays, maps as arrays of
// pairs.
import java.io.{BufferedWriter, FileOutputStream, OutputStreamWriter}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Paths}
import java.time.{Instant, LocalDate, LocalDateTime, ZoneOffset}
import java.util.Base64

import scala.collection.JavaConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{JsonNodeFactory, ObjectNode}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types._

object SparkTextRows {
  private val json = new ObjectMapper()
  private val make = JsonNodeFactory.instance

  private def micros(value: Instant): Long = value.getEpochSecond * 1000000L + value.getNano / 1000

  private def write(value: Any, kind: DataType): JsonNode = if (value == null) make.nullNode else {
    kind match {
      case StringType => make.textNode(value.toString)
      case BooleanType => make.booleanNode(value.asInstanceOf[Boolean])
      case ByteType | ShortType | IntegerType | LongType =>
        make.numberNode(value.asInstanceOf[Number].longValue)
      case FloatType =>
        make.textNode(f"${java.lang.Float.floatToIntBits(value.asInstanceOf[Float])}%08x")
      case DoubleType =>
        make.textNode(f"${java.lang.Double.doubleToLongBits(value.asInstanceOf[Double])}%016x")
      case _: DecimalType => make.textNode(value.asInstanceOf[java.math.BigDecimal].toPlainString)
      case DateType => make.numberNode(value.asInstanceOf[LocalDate].toEpochDay)
      case TimestampType => make.numberNode(micros(value.asInstanceOf[Instant]))
      case TimestampNTZType =>
        make.numberNode(micros(value.asInstanceOf[LocalDateTime].toInstant(ZoneOffset.UTC)))
      case BinaryType =>
        make.textNode(value.asInstanceOf[Array[Byte]].map(b => f"${b & 0xff}%02x").mkString)
      case ArrayType(element, _) =>
        val array = make.arrayNode()
        value.asInstanceOf[Seq[Any]].foreach(v => array.add(write(v, element)))
        array
      case MapType(key, element, _) =>
        val array = make.arrayNode()
        value.asInstanceOf[scala.collection.Map[Any, Any]].foreach { case (k, v) =>
          array.add(make.arrayNode().add(write(k, key)).add(write(v, element)))
        }
        array
      case struct: StructType => writeRow(value.asInstanceOf[Row], struct)
    }
  }

  private def writeRow(row: Row, schema: StructType): JsonNode = {
    val array = make.arrayNode()
    schema.fields.zipWithIndex.foreach { case (f, i) => array.add(write(row.get(i), f.dataType)) }
    array
  }

  def main(args: Array[String]): Unit = {
    val spark = SparkSession.builder.master("local[1]")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.sql.datetime.java8API.enabled", "true")
      .config("spark.ui.enabled", "false").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    val folder = Files.createTempDirectory("text")
    val out = new BufferedWriter(new OutputStreamWriter(new FileOutputStream(args(1)), UTF_8))
    var number = 0
    Files.readAllLines(Paths.get(args(0)), UTF_8).asScala.foreach { line =>
      val test = json.readTree(line).asInstanceOf[ObjectNode]
      number += 1
      val suffix = test.get("suffix").textValue
      val contents = Option(test.get("files")).map(_.elements.asScala.toSeq)
        .getOrElse(Seq(test.get("bytes")))
      val files = contents.zipWithIndex.map { case (content, part) =>
        val file = folder.resolve(s"$number-$part$suffix")
        Files.write(file, Base64.getDecoder.decode(content.textValue)).toString
      }
      try {
        val options = test.get("options").fields.asScala.map(e => e.getKey -> e.getValue.textValue)
        val reader = spark.read.format(test.get("format").textValue).options(options.toMap)
        if (test.has("schema")) {
          val frame = reader.schema(test.get("schema").textValue).load(files: _*)
          val rows = make.arrayNode()
          frame.collect().foreach(row => rows.add(writeRow(row, frame.schema)))
          test.set[JsonNode]("rows", rows)
        } else {
          test.put("inferred", reader.load(files: _*).schema.json)
        }
      } catch {
        case error: Throwable =>
          test.put("fails", true)
          var cause = error
          while (cause.getCause != null) cause = cause.getCause
          Console.err.println(s"${test.get("name").textValue}: ${cause.toString.take(200)}")
      }
      out.write(json.writeValueAsString(test))
      out.write("\n")
    }
    out.close()
    spark.stop()
  }
}
