import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.Random;
import java.util.TimeZone;

/**
 * Prints what Java makes of values, one case a line: the oracle of token_test.cc.
 *
 * <p>Make java_tokens.tsv with JDK 17 and java_doubles_jdk25.tsv with JDK 25:
 *
 * <pre>java JavaTokens.java all > java_tokens.tsv
 * java JavaTokens.java doubles > java_doubles_jdk25.tsv</pre>
 *
 * Dates and timestamps go through the legacy calendar as Spark hands them over: the clock of the
 * zone as java.time shows it, the ten days that 1582 skipped moved to the day after them.
 */
public class JavaTokens {
  static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
  static final Random random = new Random(20240229);

  static void line(String... parts) {
    out.print(String.join("\t", parts) + "\n");
  }

  static void doubleCase(double value) {
    line("double", Long.toHexString(Double.doubleToRawLongBits(value)), Double.toString(value));
  }

  static void floatCase(float value) {
    line("float", Integer.toHexString(Float.floatToRawIntBits(value)), Float.toString(value));
  }

  static void doubles(int count) {
    for (double value : new double[] {0.0, 1e7, 9999999.0, 1e-3, 9.99e-4, 4.9e-324, 2e-323, 1e23, 2e23,
        8.41e21, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0, 2e-44, 0.3,
        Math.pow(2, -44), Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.5}) {
      doubleCase(value);
      floatCase((float) value);
    }
    for (int power = -1074; power < 1024; power += 3) doubleCase(Math.scalb(1.0, power));
    for (int power = -149; power < 128; ++power) floatCase(Math.scalb(1.0f, power));
    for (int i = 0; i < count; ++i) {
      doubleCase(Double.longBitsToDouble(random.nextLong()));
      doubleCase(Double.longBitsToDouble(random.nextLong() >>> (12 + random.nextInt(50))));
      doubleCase(random.nextInt(100000000) / Math.pow(10, random.nextInt(10)));
      doubleCase((double) (random.nextLong() >> random.nextInt(60)));
      doubleCase(Math.scalb((double) random.nextInt(4096), random.nextInt(400) - 200));
      doubleCase(Double.parseDouble((1 + random.nextInt(999)) + "e" + (random.nextInt(600) - 300)));
      floatCase(Float.intBitsToFloat(random.nextInt()));
      floatCase(Float.intBitsToFloat(random.nextInt() >>> (9 + random.nextInt(20))));
      floatCase(random.nextInt(1000000) / (float) Math.pow(10, random.nextInt(8)));
      floatCase((float) (random.nextInt() >> random.nextInt(28)));
      floatCase(Float.parseFloat((1 + random.nextInt(999)) + "e" + (random.nextInt(76) - 40)));
    }
  }

  static void decimals(int count) {
    for (int i = 0; i < count; ++i) {
      BigInteger unscaled = new BigInteger(random.nextInt(126), random);
      if (random.nextInt(4) == 0) unscaled = BigInteger.valueOf(random.nextInt(20));
      if (random.nextBoolean()) unscaled = unscaled.negate();
      int scale = random.nextInt(39);
      line("decimal", unscaled.toString(), Integer.toString(scale),
          new BigDecimal(unscaled, scale).toString());
    }
  }

  static final LocalDateTime JULIAN_END = LocalDateTime.of(1582, 10, 5, 0, 0);
  static final LocalDateTime GREGORIAN_START = LocalDateTime.of(1582, 10, 15, 0, 0);

  static Calendar legacy(LocalDateTime local, TimeZone zone) {
    if (!local.isBefore(JULIAN_END) && local.isBefore(GREGORIAN_START)) {
      local = LocalDateTime.of(GREGORIAN_START.toLocalDate(), local.toLocalTime());
    }
    return new Calendar.Builder().setCalendarType("gregory").setTimeZone(zone)
        .setDate(local.getYear(), local.getMonthValue() - 1, local.getDayOfMonth())
        .setTimeOfDay(local.getHour(), local.getMinute(), local.getSecond()).build();
  }

  static void dateCase(long day) {
    TimeZone utc = TimeZone.getTimeZone("UTC");
    TimeZone.setDefault(utc);
    LocalDateTime local = LocalDate.ofEpochDay(day).atStartOfDay();
    line("date", Long.toString(day),
        new java.sql.Date(legacy(local, utc).getTimeInMillis()).toString());
  }

  static void timestampCase(String name, long micros) {
    TimeZone zone = TimeZone.getTimeZone(ZoneId.of(name));
    TimeZone.setDefault(zone);
    long seconds = Math.floorDiv(micros, 1000000L);
    int nanos = (int) Math.floorMod(micros, 1000000L) * 1000;
    long millis = seconds * 1000;
    if (seconds < -2208988800L) { // 1900-01-01: from then on Spark passes the instant as it is
      LocalDateTime local = Instant.ofEpochSecond(seconds).atZone(ZoneId.of(name)).toLocalDateTime();
      millis = legacy(local, zone).getTimeInMillis();
    }
    Timestamp timestamp = new Timestamp(millis);
    timestamp.setNanos(nanos);
    line("timestamp", name, Long.toString(micros), timestamp.toString());
  }

  static long someMicros(long from, long to) {
    long seconds = from + (long) (random.nextDouble() * (to - from));
    long micros = new long[] {0, 1, 120000, 789000, 999999, 500}[random.nextInt(6)];
    if (random.nextInt(3) == 0) seconds = Math.floorDiv(seconds, 60) * 60;
    return seconds * 1000000 + micros;
  }

  static final String[] ZONES = {"UTC", "America/New_York", "Europe/Paris", "Asia/Kolkata",
      "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Tokyo", "Pacific/Apia", "Africa/Casablanca",
      "Europe/Dublin", "+05:30", "GMT-8"};

  static void times(int count) {
    for (long day : new long[] {0, -1, 19782, 2932896, 2932897, -141428, -141427, -141437, -141438,
        -141432, -719162, -719163, -719528, -719529, 10000000, -1000000}) dateCase(day);
    for (int i = 0; i < count; ++i) dateCase(random.nextInt(3652059) - 719162);
    for (String zone : ZONES) {
      for (int i = 0; i < count; ++i) timestampCase(zone, someMicros(0, 2000000000L));
      for (int i = 0; i < count / 2; ++i) timestampCase(zone, someMicros(2000000000L, 253402300799L));
      for (int i = 0; i < count / 4; ++i) timestampCase(zone, someMicros(-1000000000L, 0L));
    }
    // Local mean time, and calendars, before the tables of the zones diverge by release.
    for (String zone : new String[] {"UTC", "America/New_York", "Europe/Paris", "Asia/Tokyo"}) {
      for (int i = 0; i < count; ++i) timestampCase(zone, someMicros(-62135596800L, -2840140800L));
    }
    timestampCase("UTC", -12219724800L * 1000000 + 250000); // 1582-10-10
    for (int i = 0; i < count; ++i) {
      long micros = someMicros(-62135596800L, 253402300799L);
      line("timestamp_ntz", Long.toString(micros),
          LocalDateTime.ofEpochSecond(Math.floorDiv(micros, 1000000L),
              (int) Math.floorMod(micros, 1000000L) * 1000, ZoneOffset.UTC).toString());
    }
    for (long seconds : new long[] {253402300800L, -62135596801L, -62167219201L, -99999999999L}) {
      line("timestamp_ntz", Long.toString(seconds * 1000000),
          LocalDateTime.ofEpochSecond(seconds, 0, ZoneOffset.UTC).toString());
    }
  }

  static void texts(int count) {
    byte[][] pieces = {{'a'}, {(byte) 0xC3, (byte) 0xA4}, {(byte) 0xE6, (byte) 0x97, (byte) 0xA5},
        {(byte) 0xF0, (byte) 0x9F, (byte) 0x98, (byte) 0x80}, {(byte) 0x80}, {(byte) 0xC3},
        {(byte) 0xE6, (byte) 0x97}, {(byte) 0xF0, (byte) 0x9F}, {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
        {(byte) 0xED, (byte) 0xA0}, {(byte) 0xED, (byte) 0xBF}, {(byte) 0xED}, {(byte) 0xC0, (byte) 0x80},
        {(byte) 0xF5}, {(byte) 0xFF}, {(byte) 0xE0, (byte) 0x80},
        {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80}, {(byte) 0xF0, (byte) 0x9F, (byte) 0x98}};
    for (int i = 0; i < count; ++i) {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      for (int n = random.nextInt(6); n >= 0; --n) bytes.writeBytes(pieces[random.nextInt(pieces.length)]);
      if (random.nextInt(4) == 0) {
        byte[] noise = new byte[1 + random.nextInt(8)];
        random.nextBytes(noise);
        bytes.writeBytes(noise);
      }
      String decoded = new String(bytes.toByteArray(), StandardCharsets.UTF_8);
      line("utf8", HexFormat.of().formatHex(bytes.toByteArray()),
          HexFormat.of().formatHex(decoded.getBytes(StandardCharsets.UTF_8)));
    }
  }

  public static void main(String[] arguments) {
    doubles(300);
    if (!arguments[0].equals("doubles")) {
      decimals(500);
      times(40);
      texts(500);
    }
    out.flush();
  }
}
